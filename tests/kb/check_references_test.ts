import assert from "node:assert/strict";
import { checkBase } from "../../lib/kb/check.ts";
import { checkReferences } from "../../lib/kb/check_references.ts";
import { findCycles } from "../../lib/kb/cycles.ts";
import type { CheckError } from "../../lib/kb/section_types.ts";
import type { Store } from "../../lib/store/mod.ts";
import { addNoteText, addTexts, kbidOf } from "../helpers/linked_texts.ts";
import { openTempStore } from "../helpers/temp_store.ts";

/** Runs the check to its end. */
function check(store: Store): { errors: CheckError[]; checked: number } {
  const run = checkReferences(store);
  const errors: CheckError[] = [];
  for (let step = run.next();; step = run.next()) {
    if (step.done === true) return { errors, checked: step.value };
    errors.push(step.value);
  }
}

Deno.test.each([
  { link: "[x](none.md)", broken: true },
  { link: "[x](none.ts#L3)", broken: true },
  { link: "[x](a.md#none)", broken: true },
  { link: "[x](#none)", broken: true },
  { link: "[[None]]", broken: true },
  { link: "[[None.md]]", broken: true },
  { link: "![[None]]", broken: true },
  { link: "[[Version 2.0]]", broken: true },
  { link: "[x](kbdb://section/0000000000000000000000000)", broken: true },
  { link: "[x](kbdb://document/none)", broken: true },
  { link: "[x](a.md)", broken: false },
  { link: "[x](a.md#a-doc)", broken: false },
  { link: "[x](img.png)", broken: false },
  { link: "![x](img.png)", broken: false },
  { link: "![x](drawing.svg)", broken: false },
  { link: "![[img.png]]", broken: false },
  { link: "[[report.pdf]]", broken: false },
  { link: "[x](archive.tar.gz)", broken: false },
  { link: "[x](folder/)", broken: false },
  { link: "[x](LICENSE)", broken: false },
  { link: "[x](../n)", broken: false },
])("checkReferences() of $link: broken $broken", ({ link, broken }) => {
  using store = openTempStore();
  addTexts(store, { "/n/a.md": "# A Doc\n", "/n/b.md": `# B\n\n${link}\n` });
  const { errors, checked } = check(store);
  assert.equal(checked, 1);
  assert.deepEqual(
    errors.map(({ type, entity }) => [type, entity]),
    broken ? [["broken_reference", kbidOf(store, "B")]] : [],
  );
});

Deno.test("checkReferences() reads past one page and says what is not there", () => {
  using store = openTempStore();
  const links = Array.from({ length: 2_500 }, (_, i) => `[[A Doc]] ${i}\n\n`);
  addTexts(store, { "/n/a.md": "# A Doc\n" });
  addNoteText(store, "n1", links.join("") + "[[Gone]]", "N");
  const { errors, checked } = check(store);
  assert.equal(checked, 2_501);
  assert.deepEqual(errors.map(({ detail }) => detail), [
    'The wikilink "Gone" leads nowhere: no document or section is named "Gone"',
  ]);
});

Deno.test("checkReferences() reports each circle of embeddings once", () => {
  using store = openTempStore();
  addTexts(store, {
    "/n/a.md": "# A\n\n![[b]]\n",
    "/n/b.md": "# B\n\n![[c#C2]]\n",
    "/n/c.md": "# C\n\n![[a]]\n\n# C2\n\n![[a]]\n",
    "/n/self.md": "# S\n\n![[#S]]\n",
    "/n/own.md": "# O\n\nx\n\n## O2\n\n![[own]]\n",
    "/n/fine.md": "# F\n\n![[a]]\n\n[[fine]]\n",
  });
  const details = check(store).errors.map(({ type, detail }) => {
    assert.equal(type, "circular_reference");
    return detail.slice(detail.lastIndexOf(": ") + 2);
  });
  assert.deepEqual(details, [
    '"A" > "B" > "C2" > "A"',
    '"S" > "S"',
    '"O2" > "O2"',
  ]);
});

Deno.test("findCycles() cuts long circles and takes deep graphs", () => {
  const size = 100_000;
  const edges = new Map<number, Set<number>>();
  for (let i = 1; i <= size; i++) edges.set(i, new Set([i % size + 1, 1]));
  const cycles = [...findCycles(edges, 3)];
  assert.equal(cycles.length, size);
  assert.deepEqual(cycles[0], { nodes: [1, 2, 3], length: size });
});

Deno.test("checkBase() counts references and reports broken ones", () => {
  using store = openTempStore();
  addTexts(store, { "/n/a.md": "# A\n\n[[A]] [[None]]\n" });
  const { ok, errors, referencesChecked } = checkBase(store);
  assert.equal(ok, false);
  assert.deepEqual(errors.map(({ type }) => type), ["broken_reference"]);
  assert.equal(referencesChecked, 2);
});
