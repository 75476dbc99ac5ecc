import assert from "node:assert/strict";
import type { DocumentId, Kbid, LinkType } from "../../lib/core/mod.ts";
import { ReferenceResolver } from "../../lib/kb/references.ts";
import {
  listBackReferences,
  listReferences,
} from "../../lib/kb/section_references.ts";
import {
  deleteDocument,
  findNamedByDocid,
  findSectionHead,
  findSectionHeadById,
  type Store,
} from "../../lib/store/mod.ts";
import {
  addNoteText,
  addTexts,
  kbidOf,
  putAlone,
} from "../helpers/linked_texts.ts";
import { openTempStore } from "../helpers/temp_store.ts";

const FILES = {
  "/n/a.md": "# A Doc\n\ntext\n\n## Usage\n\nfirst\n\n## Usage\n\nsecond\n",
  "/n/sub/Note.md":
    '# My Note\n\n<a id="spot"></a>\n\n## Über uns\n\nx\n\n## C++ {#cpp}\n\ny\n',
  "/n/code.ts": "const a = 1;\n",
  "/n/with space.md": "# Spaced\n\nz\n",
};

/** Headings a target means, written in `/n/a.md`; `doc:` before a whole document. */
function meaning(
  store: Store,
  type: LinkType,
  target: string,
  rest: { from?: string; targetPath?: string } = {},
): string {
  const { from = "a.md", targetPath = null } = rest;
  const documentId = findNamedByDocid(store, from)?.id ?? null;
  const found = new ReferenceResolver(store).resolve({
    type,
    target,
    targetPath,
    documentId,
    sectionId: 1 as never,
  });
  if (found.kind === "missing") return `missing: ${found.reason}`;
  if (found.kind === "document") return `doc: ${found.document.docid}`;
  const head = findSectionHeadById(store, found.sectionId);
  return head?.title ?? head?.kbid ?? "";
}

Deno.test.each([
  { target: "A Doc", means: "doc: a.md" },
  { target: "a doc", means: "doc: a.md" },
  { target: "A", means: "doc: a.md" },
  { target: "A.md", means: "doc: a.md" },
  { target: "note", means: "doc: Note.md" },
  { target: "sub/note", means: "doc: Note.md" },
  { target: "n/sub/Note.md", means: "doc: Note.md" },
  {
    target: "other/Note",
    means: 'missing: no document or section is named "other/Note"',
  },
  { target: "Note#Über uns", means: "Über uns" },
  { target: "Note#über-uns", means: "Über uns" },
  { target: "Note#My Note#Über uns", means: "Über uns" },
  { target: "Note#cpp", means: "C++ {#cpp}" },
  { target: "Note#spot", means: "My Note" },
  { target: "Note#^block", means: "doc: Note.md" },
  {
    target: "Note#none",
    means: 'missing: the document "My Note" has no heading "none"',
  },
  { target: "#Usage", means: "Usage" },
  { target: "with space", means: "doc: with space.md" },
  { target: "Alone", means: "Alone" },
  {
    target: "Nothing",
    means: 'missing: no document or section is named "Nothing"',
  },
  { target: "code.ts#L1", means: "doc: code.ts", orSection: true },
])("a wiki link [[$target]] means $means", ({ target, means, orSection }) => {
  using store = openTempStore();
  addTexts(store, FILES);
  putAlone(store, { title: "Alone", content: "alone" });
  const found = meaning(store, "wikilink", target);
  if (orSection === true) return assert.match(found, /^[0-9a-z]{26}$/);
  assert.equal(found, means);
});

Deno.test.each([
  { target: "sub/Note.md", path: "/n/sub/Note.md", means: "doc: Note.md" },
  { target: "sub/Note", path: "/n/sub/Note", means: "doc: Note.md" },
  {
    target: "sub/Note.md#%C3%BCber-uns",
    path: "/n/sub/Note.md",
    means: "Über uns",
  },
  {
    target: "sub/note.md",
    path: "/n/sub/note.md",
    means: "missing: no document came from /n/sub/note.md",
  },
  { target: "code.ts#anything", path: "/n/code.ts", means: "doc: code.ts" },
  { target: "#top", path: undefined, means: "doc: a.md" },
  { target: "kbdb://document/Note.md", path: undefined, means: "doc: Note.md" },
  {
    target: "kbdb://document/with%20space.md#spaced",
    path: undefined,
    means: "Spaced",
  },
  { target: "kbdb://document/1", path: undefined, means: "doc: a.md" },
  {
    target: "kbdb://document/none",
    path: undefined,
    means: 'missing: no document has the docid "none"',
  },
  {
    target: "kbdb://section/none",
    path: undefined,
    means: 'missing: no section has the kbid "none"',
  },
  {
    target: "kbdb://other/x",
    path: undefined,
    means: 'missing: "kbdb://other/x" is no address of a section or document',
  },
])("a link to $target means $means", ({ target, path, means }) => {
  using store = openTempStore();
  addTexts(store, FILES);
  assert.equal(
    meaning(
      store,
      "link",
      target,
      path === undefined ? {} : { targetPath: path },
    ),
    means,
  );
});

Deno.test("a repeated heading has a numbered anchor", () => {
  using store = openTempStore();
  const [id] = addTexts(store, FILES);
  const anchors = new ReferenceResolver(store).anchorsOf(id as DocumentId);
  assert.deepEqual([...anchors.keys()], ["a-doc", "usage", "usage-1"]);
  assert.notEqual(anchors.get("usage"), anchors.get("usage-1"));
});

Deno.test("headings inside a note lead to the note's section", () => {
  using store = openTempStore();
  addTexts(store, FILES);
  addNoteText(store, "n1", "intro\n\n# One\n\n## Two\n", "My title");
  for (const target of ["n1#One", "n1#two", "n1#My title"]) {
    assert.equal(meaning(store, "wikilink", target), "My title");
  }
  assert.match(meaning(store, "wikilink", "n1#Three"), /^missing/);
});

Deno.test("of several documents the same collection wins, then the nearest", () => {
  using store = openTempStore();
  addTexts(store, { "/z/Same.md": "# 1" });
  addTexts(store, { "/x/y/same.txt": "2", "/x/here.md": "# 3" });
  addTexts(store, { "/z/Same.md": "# 4", "/z/here.md": "# 5" }, "memory");
  const ids = (from: string) => {
    const found = new ReferenceResolver(store).resolve({
      type: "wikilink",
      target: "same",
      targetPath: null,
      documentId: findNamedByDocid(store, from)?.id ?? null,
      sectionId: 1 as never,
    });
    return found.kind === "document" ? found.document.docid : "";
  };
  assert.equal(ids("here.md"), "same.txt");
  assert.equal(ids("memory-here.md"), "memory-Same.md");
});

Deno.test("a link resolves when its target arrives, and not any more when it goes", () => {
  using store = openTempStore();
  addNoteText(store, "n1", "See [[Later]].");
  const n1 = findSectionHead(store, kbidOf(store, "See [[Later]]."))!;
  const list = () =>
    listReferences(store, new ReferenceResolver(store), n1.id).references;
  assert.deepEqual(list(), []);
  const [id] = addTexts(store, { "/later.md": "# Later\n" });
  assert.deepEqual(list().map(({ heading }) => heading), ["Later"]);
  deleteDocument(store, id as DocumentId);
  assert.deepEqual(list(), []);
});

/** Forward and back references of a section in short. */
function around(store: Store, kbid: Kbid): { to: string[]; from: string[] } {
  const resolver = new ReferenceResolver(store);
  const head = findSectionHead(store, kbid)!;
  const brief = (it: { markerType: string; heading: string | null }) =>
    `${it.markerType} ${it.heading}`;
  return {
    to: listReferences(store, resolver, head.id).references.map(brief),
    from: listBackReferences(store, resolver, head.id).references.map(brief)
      .sort(),
  };
}

Deno.test("back-references are the reverse of references, for every way to write them", () => {
  using store = openTempStore();
  addTexts(store, FILES);
  const uber = kbidOf(store, "Über uns");
  const sources: Record<string, string> = {
    "/n/s1.md": "# S1\n\n[x](sub/Note.md#über-uns)",
    "/n/s2.md": "# S2\n\n[x](sub/Note.md#%C3%BCber-uns)",
    "/n/s3.md": "# S3\n\n[[My Note#Über uns]]",
    "/n/s4.md": "# S4\n\n![[note#über uns]]",
    "/n/s5.md": `# S5\n\n[x](kbdb://section/${uber})`,
    "/n/s6.md": "# S6\n\n[x](kbdb://document/Note.md#über-uns)",
    "/n/s7.md": "# S7\n\n[[sub/Note#Über uns]]",
    "/n/s8.md": "# S8\n\n[[sub/Note]] and [y](sub/Note.md)",
    "/n/s9.md": "# S9\n\n![pic](sub/Note.md#über-uns)",
    "/n/sub/s10.md": "# S10\n\n[[#S11]]\n\n# S11\n\n[x](#s10) [[with space]]",
  };
  addTexts(store, sources);
  addNoteText(store, "n9", "[x](with%20space.md) [[My Note#Über uns]]", "S12");
  assert.deepEqual(around(store, uber).from, [
    "embed S4",
    "image S9",
    "link S1",
    "link S2",
    "link S5",
    "link S6",
    "wikilink S12",
    "wikilink S3",
    "wikilink S7",
  ]);
  assert.deepEqual(around(store, kbidOf(store, "My Note")).from, [
    "link S8",
    "wikilink S8",
  ]);
  assert.deepEqual(around(store, kbidOf(store, "S10")), {
    to: ["wikilink S11"],
    from: ["link S11"],
  });
  assert.deepEqual(around(store, kbidOf(store, "Spaced")).from, [
    "link S12",
    "wikilink S11",
  ]);
});

Deno.test("a section that stands alone is linked by title and kbid, and links by name", () => {
  using store = openTempStore();
  addTexts(store, FILES);
  const kbid = putAlone(store, { title: "Alone", content: "alone" });
  addNoteText(store, "n1", `[[alone]] ![[${kbid}]]`, "N1");
  const row = findSectionHead(store, kbid)!;
  store.run(
    `INSERT INTO links(section_id, link_type, target, label, context_snippet, line)
     VALUES (?, 'wikilink', 'A Doc', '', 'x', 1)`,
    row.id,
  );
  assert.deepEqual(around(store, kbid), {
    to: ["wikilink A Doc"],
    from: ["embed N1", "wikilink N1"],
  });
  assert.deepEqual(around(store, kbidOf(store, "A Doc")).from, [
    "wikilink Alone",
  ]);
});

Deno.test("references of a shared section are listed once, and none of a section to itself", () => {
  using store = openTempStore();
  const text = "# Shared\n\n[[A Doc]] [s](#shared)\n";
  addTexts(store, { ...FILES, "/n/p.md": text, "/n/q.md": text });
  assert.deepEqual(around(store, kbidOf(store, "Shared")).to, [
    "wikilink A Doc",
  ]);
  assert.deepEqual(around(store, kbidOf(store, "A Doc")).from, [
    "wikilink Shared",
  ]);
});

Deno.test("references are bounded and say that there are more", () => {
  using store = openTempStore();
  addTexts(store, FILES);
  for (let i = 0; i < 5; i++) addNoteText(store, `m${i}`, `${i} [[A Doc]]`);
  const head = findSectionHead(store, kbidOf(store, "A Doc"))!;
  const resolver = new ReferenceResolver(store);
  const few = listBackReferences(store, resolver, head.id, 3);
  assert.equal(few.references.length, 3);
  assert.equal(few.hasMore, true);
  assert.equal(listBackReferences(store, resolver, head.id, 5).hasMore, false);
});
