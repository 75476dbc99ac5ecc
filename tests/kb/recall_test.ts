import assert from "node:assert/strict";
import { KbError, LIMITS } from "../../lib/core/mod.ts";
import type { RecallAnswer, RecallOptions } from "../../lib/compose/mod.ts";
import { recallSections } from "../../lib/kb/compose.ts";
import type { Store } from "../../lib/store/mod.ts";
import {
  addNoteText,
  addTexts,
  kbidOf,
  putAlone,
} from "../helpers/linked_texts.ts";
import { openTempStore } from "../helpers/temp_store.ts";

/** Writes keys in snake case, as front ends do. */
function toSnake(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toSnake);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, it]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      toSnake(it),
    ]),
  );
}

/** Length of an answer as a front end writes it. */
function lengthOf({ results }: RecallAnswer): number {
  return JSON.stringify(toSnake(results), null, 2).length;
}

function addLinked(store: Store): void {
  addTexts(store, {
    "/n/a.md":
      "# A\n\nfirst\n\n## Mid\n\nSee [b](b.md#two).\n\n## End\n\nlast\n",
    "/n/b.md": "# B\n\nbee\n\n## Two\n\nBack to [[A#Mid]].\n",
  });
  addNoteText(store, "n", "Look at [[a#mid]].", "N");
}

Deno.test("recallSections() answers in the shape of each depth", () => {
  using store = openTempStore();
  addLinked(store);
  const kbid = kbidOf(store, "Mid");
  const at = (depth: number) =>
    toSnake(recallSections(store, [kbid], { depth }).results[0]);
  const zero = {
    kbid,
    heading: "Mid",
    type: "text/markdown",
    content: "## Mid\n\nSee [b](b.md#two).",
    docids: ["a.md"],
  };
  const head = (title: string) => ({
    kbid: kbidOf(store, title),
    heading: title,
    type: "text/markdown",
  });
  const back = (title: string, snippet: string) => ({
    ...head(title),
    marker_type: "wikilink",
    context_snippet: snippet,
    direction: "back",
  });
  const one = {
    ...zero,
    documents: [{
      docid: "a.md",
      title: "A",
      sections: [head("A"), head("Mid"), head("End")],
    }],
    back_references: [
      back("Two", "Back to [[A#Mid]]."),
      back("N", "Look at [[a#mid]]."),
    ],
  };
  const forward = {
    ...head("Two"),
    marker_type: "link",
    context_snippet: "See [b](b.md#two).",
    direction: "forward",
  };
  const two = {
    ...one,
    siblings: [
      { ...head("A"), content: "# A\n\nfirst" },
      { ...head("End"), content: "## End\n\nlast" },
    ],
    references: [forward],
  };
  const three = {
    ...two,
    references: [{
      ...forward,
      content: "## Two\n\nBack to [[A#Mid]].",
      back_references: [{
        ...head("Mid"),
        marker_type: "link",
        context_snippet: "See [b](b.md#two).",
        direction: "back",
      }],
    }],
  };
  for (const [depth, shape] of [zero, one, two, three, three].entries()) {
    assert.deepEqual(sorted(at(depth)), sorted(shape), `depth ${depth}`);
  }
});

/** Back-references in an order that does not depend on how they are found. */
function sorted(value: unknown): unknown {
  const result = value as { back_references?: { kbid: string }[] };
  return result.back_references === undefined ? result : {
    ...result,
    back_references: result.back_references.toSorted((a, b) =>
      a.kbid < b.kbid ? -1 : 1
    ),
  };
}

Deno.test("recallSections() recalls several, each once, and names the unknown", () => {
  using store = openTempStore();
  addLinked(store);
  const kbids = [kbidOf(store, "End"), "none", kbidOf(store, "B")];
  const { results, unknownKbids, omittedKbids } = recallSections(store, [
    ...kbids,
    ...kbids,
  ]);
  assert.deepEqual(results.map(({ heading }) => heading), ["End", "B"]);
  assert.deepEqual(unknownKbids, ["none"]);
  assert.deepEqual(omittedKbids, []);
});

Deno.test("recallSections() shares the room and says where to go on", () => {
  using store = openTempStore();
  const long = putAlone(store, { title: "L", content: "😀\n".repeat(20_000) });
  const short = putAlone(store, { title: "S", content: "short" });
  const answer = recallSections(store, [long, short]);
  assert.ok(lengthOf(answer) <= LIMITS.answerChars);
  assert.ok(lengthOf(answer) > LIMITS.answerChars * 0.9);
  const [first, second] = answer.results;
  assert.equal(second?.content, "short");
  assert.equal(second?.contentTruncated, undefined);
  const { shown = 0, total, next } = first?.contentTruncated ?? {};
  assert.equal(total, 60_000);
  assert.equal(next, `recall with kbid "${long}" and offset ${shown}`);
  assert.ok(first?.content.isWellFormed());
});

Deno.test("recallSections() gives a long section whole, offset by offset", () => {
  using store = openTempStore();
  const content = Array.from({ length: 4_000 }, (_, i) => `${i} "😀"\n`).join(
    "",
  );
  const kbid = putAlone(store, { title: "L", content });
  let joined = "";
  for (let calls = 0; joined.length < content.length; calls++) {
    assert.ok(calls < 20);
    const { results: [part] } = recallSections(store, [kbid], {
      offset: joined.length,
      maxChars: 5_000,
    });
    joined += part?.content;
    if (joined.length === content.length) {
      assert.equal(part?.contentTruncated?.next, undefined);
    }
  }
  assert.equal(joined, content);
  const { results: [behind] } = recallSections(store, [kbid], { offset: 1e6 });
  assert.deepEqual([behind?.content, behind?.contentTruncated?.shown], ["", 0]);
});

Deno.test("recallSections() shows an image if it fits, and how to get it if not", () => {
  using store = openTempStore();
  const image = { sectionType: "image/png", description: "A map." };
  const small = putAlone(store, {
    ...image,
    title: "S",
    content: Uint8Array.of(1, 2, 3),
  });
  const large = putAlone(store, {
    ...image,
    title: "L",
    content: new Uint8Array(30_000),
  });
  const { results: [a, b] } = recallSections(store, [small, large]);
  assert.deepEqual([a?.content, a?.description], ["AQID", "A map."]);
  assert.equal(b?.content, "");
  assert.deepEqual(b?.contentTruncated, {
    shown: 0,
    total: 30_000,
    next: `read the resource kbdb://section/${large}`,
  });
});

Deno.test("recallSections() shows a content once in an answer", () => {
  using store = openTempStore();
  addLinked(store);
  const kbids = ["A", "Mid"].map((title) => kbidOf(store, title));
  const { results } = recallSections(store, kbids, { depth: 2 });
  const siblings = results.map((result) => result.siblings ?? []);
  assert.deepEqual(
    siblings.map((list) =>
      list.map(({ heading, content }) => [heading, content])
    ),
    [[["Mid", ""], ["End", "## End\n\nlast"]], [["A", ""], ["End", ""]]],
  );
  assert.equal(
    siblings[1]?.[0]?.contentTruncated?.next,
    "it stands in this answer already",
  );
});

Deno.test("recallSections() bounds every depth in a document of 10,000 sections with many links", () => {
  using store = openTempStore();
  const parts = Array.from(
    { length: 10_000 },
    (_, i) =>
      `## S${i}\n\n${"text ".repeat(30)} [[hub]] [x](#s${(i * 7) % 10_000})\n`,
  );
  addTexts(store, { "/n/big.md": `# Big\n\n${parts.join("\n")}` });
  const links = Array.from({ length: 500 }, (_, i) => `[[big#S${i}]]\n\n`);
  addTexts(store, { "/n/hub.md": `# Hub\n\n${links.join("")}` });
  const kbids = ["S5000", "S5001", "S9999", "Hub", "Big"].map((title) =>
    kbidOf(store, title)
  );
  for (const maxChars of [2_000, 5_000, 20_000, 200_000]) {
    for (const depth of [0, 1, 2, 3]) {
      for (const asked of [kbids.slice(0, 1), kbids]) {
        const answer = recallSections(store, asked, { depth, maxChars });
        assert.ok(
          lengthOf(answer) <= maxChars,
          `${lengthOf(answer)} of ${maxChars} at depth ${depth}`,
        );
        assert.equal(
          answer.results.length + answer.omittedKbids.length,
          asked.length,
        );
      }
    }
  }
  const { results: [s5000] } = recallSections(store, kbids.slice(0, 1), {
    depth: 2,
  });
  const shown = s5000?.documents?.[0];
  assert.equal(
    (shown?.sections.length ?? 0) + (shown?.sectionsOmitted ?? 0),
    10_001,
  );
  assert.ok(shown?.sections.some(({ heading }) => heading === "S4999"));
  assert.equal(
    (s5000?.siblings?.length ?? 0) + (s5000?.siblingsOmitted ?? 0),
    10_000,
  );
  assert.ok((s5000?.siblings?.length ?? 0) >= 5);
  assert.ok(s5000?.siblings?.every(({ content }) => content.length > 0));
});

Deno.test("recallSections() says of a shared section which documents have it", () => {
  using store = openTempStore();
  const text = "## Shared\n\ntext\n";
  const files = Array.from({ length: 25 }, (_, i) => [
    `/n/d${i}.md`,
    `# D${i}\n\n${text}`,
  ]);
  addTexts(store, Object.fromEntries(files));
  const { results: [shared] } = recallSections(
    store,
    [kbidOf(store, "Shared")],
    { depth: 1 },
  );
  assert.equal(shared?.docids.length, 20);
  assert.equal(shared?.docidsOmitted, 5);
  assert.deepEqual(
    shared?.documents?.[1]?.sections.map(({ heading }) => heading),
    ["D1", "Shared"],
  );
});

Deno.test.each([
  { rule: "no kbids", kbids: [], error: KbError },
  { rule: "too many kbids", kbids: Array(101).fill("a"), error: KbError },
  {
    rule: "an offset with several",
    kbids: ["a", "b"],
    options: { offset: 1 },
    error: KbError,
  },
  {
    rule: "a negative depth",
    kbids: ["a"],
    options: { depth: -1 },
    error: RangeError,
  },
  {
    rule: "a depth that is no number",
    kbids: ["a"],
    options: { depth: NaN },
    error: RangeError,
  },
  {
    rule: "no room",
    kbids: ["a"],
    options: { maxChars: 1_999 },
    error: RangeError,
  },
])("recallSections() refuses $rule", ({ kbids, options, error }) => {
  using store = openTempStore();
  assert.throws(
    () => recallSections(store, kbids, options as RecallOptions),
    error,
  );
});
