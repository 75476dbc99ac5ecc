import assert from "node:assert/strict";
import {
  chmodSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { type DocumentId, KbError, LIMITS } from "../../lib/core/mod.ts";
import {
  addFiles,
  type AddFilesOptions,
  type AddFilesReport,
  type FileReport,
  type FileState,
  type Progress,
} from "../../lib/ingest/mod.ts";
import {
  addTags,
  deleteDocument,
  findDocument,
  findDocumentsBy,
  listSections,
  listTagsOf,
  matchChunks,
  type Store,
} from "../../lib/store/mod.ts";
import { openTextPlanner } from "../helpers/text_planner.ts";
import { type Tree, WORDS, writeTree } from "../helpers/temp_kb.ts";
import {
  assertIntact,
  countRows,
  makeTempDir,
  openTempStore,
} from "../helpers/temp_store.ts";

const PROGRAM = Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0);

/** An empty base and a folder whose files it takes in. */
interface Bench extends Disposable {
  readonly store: Store;
  /** Real path of the folder. */
  readonly root: string;
  /** Takes the folder, or something in it, into the base. */
  add(
    options?: Partial<AddFilesOptions>,
    name?: string,
  ): Promise<AddFilesReport>;
}

function openBench(files: Tree, now?: () => string): Bench {
  const temp = makeTempDir();
  const root = join(realpathSync(temp.path), "root");
  writeTree(root, files);
  const store = openTempStore(now);
  return {
    store,
    root,
    add: (options = {}, name = ".") =>
      addFiles(store, join(root, name), {
        measure: WORDS,
        openPlanner: openTextPlanner,
        ...options,
      }),
    [Symbol.dispose](): void {
      store.close();
      temp[Symbol.dispose]();
    },
  };
}

/** State of every file by its path inside the root. */
function statesOf({ root, files }: AddFilesReport): Record<string, FileState> {
  return Object.fromEntries(
    files.map(({ path, state }) => [relative(root, path), state]),
  );
}

/** Report on one file. */
function reportOn({ root, files }: AddFilesReport, name: string): FileReport {
  const report = files.find(({ path }) => path === join(root, name));
  assert.ok(report !== undefined, name);
  return report;
}

/** Id of the document a file is stored as. */
function idOf(report: AddFilesReport, name: string): DocumentId {
  const { documentId } = reportOn(report, name);
  assert.ok(documentId !== undefined, name);
  return documentId;
}

/** More files than are found, or stored, at a time; their names are numbers from `first`. */
function manyFiles(count: number, first = 1000): Tree {
  return Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`${first + i}.md`, `word ${i}`]),
  );
}

function countHits(store: Store, word: string): number {
  return matchChunks(store, word, { limit: 100 }).length;
}

Deno.test("addFiles() takes in a folder and says what became of every file", async () => {
  using bench = openBench({
    "a.md": "# Heading\n\nalpha words",
    "b/c.txt": "plain gamma",
    "b/d.ts": "export const delta = 1;\n",
    "node_modules/x.md": "not this",
  });
  const report = await bench.add({ tags: ["t"], collection: "work" });
  assert.equal(report.root, bench.root);
  assert.deepEqual(statesOf(report), {
    "a.md": "indexed",
    "b/c.txt": "indexed",
    "b/d.ts": "indexed",
    "node_modules": "ignored",
  });
  assert.deepEqual(report.counts, { indexed: 3, ignored: 1 });
  assert.equal(report.readBytes, 22 + 11 + 24);
  const document = findDocument(bench.store, idOf(report, "a.md"));
  assert.equal(document?.title, "Heading");
  assert.equal(document?.docType, "markdown");
  assert.equal(document?.sourcePath, join(bench.root, "a.md"));
  assert.deepEqual(
    listTagsOf(bench.store, idOf(report, "b/c.txt")),
    ["collection:work", "t"],
  );
  assert.equal(countHits(bench.store, "gamma"), 1);
  assertIntact(bench.store);
});

Deno.test("addFiles() takes in one file", async () => {
  using bench = openBench({ "a.md": "alpha", "b.md": "beta" });
  const report = await bench.add({}, "a.md");
  assert.deepEqual(report.counts, { indexed: 1 });
  assert.equal(countRows(bench.store, "documents"), 1);
});

Deno.test("addFiles() puts new documents into the collection documents", async () => {
  using bench = openBench({ "a.md": "alpha" });
  const id = idOf(await bench.add(), "a.md");
  assert.deepEqual(listTagsOf(bench.store, id), ["collection:documents"]);
});

Deno.test.each<
  { rule: string; content: string | Uint8Array; state: FileState; says: RegExp }
>([
  { rule: "without a byte", content: "", state: "empty", says: /no bytes/ },
  {
    rule: "of white space",
    content: " \n\t",
    state: "empty",
    says: /white space/,
  },
  {
    rule: "of frontmatter only",
    content: "---\ntitle: A\n---\n",
    state: "empty",
    says: /no text/,
  },
  {
    rule: "that is a program",
    content: PROGRAM,
    state: "binary",
    says: /ELF/,
  },
  {
    rule: "with a NUL byte",
    content: "text\0text",
    state: "binary",
    says: /NUL byte at offset 4/,
  },
  {
    rule: "in Latin-1",
    content: Uint8Array.of(0x63, 0x61, 0x66, 0xe9, 0x20, 0x78),
    state: "not_text",
    says: /not UTF-8/,
  },
  {
    rule: "that is an old Office document",
    content: Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1),
    state: "unsupported",
    says: /old Office document/,
  },
])("addFiles() says $state of a file $rule and goes on", async (row) => {
  using bench = openBench({ "a.md": row.content, "b.md": "beta words" });
  const report = await bench.add();
  const { state, reason = "", documentId } = reportOn(report, "a.md");
  assert.equal(state, row.state);
  assert.match(reason, row.says);
  assert.equal(documentId !== undefined, state === "empty");
  assert.equal(reportOn(report, "b.md").state, "indexed");
  assert.equal(countHits(bench.store, "beta"), 1);
  assertIntact(bench.store);
});

Deno.test("addFiles() says too_large of a file above the limit without reading it", async () => {
  using bench = openBench({ "a.txt": "", "b.md": "beta" });
  truncateSync(join(bench.root, "a.txt"), LIMITS.fileBytes + 1);
  const report = await bench.add();
  assert.deepEqual(statesOf(report), {
    "a.txt": "too_large",
    "b.md": "indexed",
  });
  assert.equal(report.readBytes, 4);
});

Deno.test("addFiles() reports a dangling link and indexes the rest", async () => {
  using bench = openBench({ "b.md": "beta" });
  symlinkSync("gone", join(bench.root, "a.md"));
  const report = await bench.add();
  assert.deepEqual(statesOf(report), {
    "b.md": "indexed",
    "a.md": "unreadable",
  });
});

Deno.test("addFiles() reports a link that leaves the root and reads nothing of it", async () => {
  using bench = openBench({ "b.md": "beta" });
  writeTree(join(bench.root, "..", "other"), { "secret.md": "secret" });
  symlinkSync("../other", join(bench.root, "a"));
  const report = await bench.add();
  assert.deepEqual(statesOf(report), { "b.md": "indexed", a: "outside_root" });
  assert.equal(countHits(bench.store, "secret"), 0);
});

Deno.test("addFiles() takes a folder that links back to itself in once", async () => {
  using bench = openBench({ "a/b.md": "beta" });
  symlinkSync("..", join(bench.root, "a", "up"));
  const report = await bench.add();
  assert.deepEqual(statesOf(report), {
    "a/b.md": "indexed",
    "a/up": "ignored",
  });
  assert.equal(countRows(bench.store, "documents"), 1);
});

Deno.test("addFiles() stores a link to a file inside the root as a document of its own", async () => {
  using bench = openBench({ "b.md": "beta words" });
  symlinkSync("b.md", join(bench.root, "a.md"));
  const report = await bench.add();
  assert.deepEqual(report.counts, { indexed: 2 });
  assert.equal(countRows(bench.store, "documents"), 2);
  assert.equal(countRows(bench.store, "sections"), 1);
});

Deno.test("addFiles() reports a pipe and does not wait for it", async () => {
  using bench = openBench({ "b.md": "beta" });
  await new Deno.Command("mkfifo", { args: [join(bench.root, "a.md")] })
    .output();
  const report = await bench.add();
  assert.deepEqual(statesOf(report), {
    "a.md": "unsupported",
    "b.md": "indexed",
  });
});

Deno.test({
  name: "addFiles() reports a file that may not be read (not as root)",
  ignore: Deno.uid() === 0,
  async fn() {
    using bench = openBench({ "a.md": "alpha", "b.md": "beta" });
    chmodSync(join(bench.root, "a.md"), 0);
    const report = await bench.add();
    assert.deepEqual(report.counts, { unreadable: 1, indexed: 1 });
    assert.match(reportOn(report, "a.md").reason ?? "", /permission denied/);
  },
});

Deno.test("addFiles() says not_found of a path that is not there and changes nothing", async () => {
  using bench = openBench({ "a.md": "alpha" });
  await bench.add();
  await assert.rejects(
    bench.add({}, "gone"),
    (error: unknown) => error instanceof KbError && error.code === "not_found",
  );
  rmSync(bench.root, { recursive: true });
  await assert.rejects(bench.add(), KbError);
  assert.equal(countRows(bench.store, "documents"), 1);
});

Deno.test("addFiles() takes in nothing of a folder without a readable file", async () => {
  using bench = openBench({ "a.so": PROGRAM, "b/c.bin": "x\0y" });
  mkdirSync(join(bench.root, "empty"));
  const report = await bench.add();
  assert.deepEqual(report.counts, { binary: 2 });
  assert.equal(countRows(bench.store, "documents"), 0);
  assert.deepEqual((await bench.add({}, "empty")).files, []);
});

Deno.test("addFiles() indexes a file with invalid frontmatter and warns", async () => {
  using bench = openBench({
    "a.md": "---\ntitle: [unclosed\n---\n# Real heading\n\nalpha\n",
  });
  const report = await bench.add();
  const { state, warnings = [], documentId } = reportOn(report, "a.md");
  assert.equal(state, "indexed");
  assert.match(warnings.join(), /YAML frontmatter is malformed/);
  assert.deepEqual(
    findDocument(bench.store, documentId!)?.warnings,
    warnings,
  );
  assert.equal(countHits(bench.store, "alpha"), 1);
});

Deno.test("addFiles() takes in a line of 5 MB, findable to its end", async () => {
  using bench = openBench({ "a.txt": `${"plenty of ".repeat(500_000)}omega` });
  const report = await bench.add();
  assert.deepEqual(report.counts, { indexed: 1 });
  assert.equal(countHits(bench.store, "omega"), 1);
  const longest = bench.store.get<{ tokens: number }>(
    "SELECT max(token_count) AS tokens FROM chunks",
  )?.tokens ?? 0;
  assert.ok(longest > 0 && longest <= WORDS.windowTokens - 2, `${longest}`);
  for (const { content } of listSections(bench.store, idOf(report, "a.txt"))) {
    assert.ok(content.length <= LIMITS.sectionChars);
  }
});

Deno.test("addFiles() writes nothing when nothing changed", async () => {
  using bench = openBench({
    "a.md": "---\ntags: [x]\n---\nalpha",
    "b/c.md": "gamma",
    "empty.md": "",
  });
  const changes = () =>
    bench.store.get<{ n: number }>("SELECT total_changes() AS n")?.n;
  const first = await bench.add({ tags: ["t"] });
  const before = changes();
  const second = await bench.add({ tags: ["t"] });
  assert.deepEqual(second.counts, { unchanged: 3 });
  assert.equal(second.readBytes, 0);
  assert.equal(idOf(second, "a.md"), idOf(first, "a.md"));
  assert.equal(changes(), before);
});

Deno.test("addFiles() reads a file with another time stamp and finds it unchanged", async () => {
  using bench = openBench({ "a.md": "alpha" });
  await bench.add();
  const newer = new Date("2021-01-01T00:00:00.000Z");
  utimesSync(join(bench.root, "a.md"), newer, newer);
  const second = await bench.add();
  assert.deepEqual(second.counts, { unchanged: 1 });
  assert.equal(second.readBytes, 5);
  assert.equal((await bench.add()).readBytes, 0);
});

Deno.test("addFiles() reads again a file that was changed just before it was read", async () => {
  using bench = openBench({});
  writeFileSync(join(bench.root, "a.md"), "alpha");
  await bench.add();
  const second = await bench.add();
  assert.deepEqual(second.counts, { unchanged: 1 });
  assert.equal(second.readBytes, 5);
});

Deno.test("addFiles() gives an unchanged file the tags and collection asked for", async () => {
  using bench = openBench({ "a.md": "alpha" });
  const id = idOf(await bench.add({ tags: ["t"] }), "a.md");
  await bench.add({ tags: ["u"], collection: "work" });
  const tags = ["collection:work", "t", "u"];
  assert.deepEqual(listTagsOf(bench.store, id), tags);
  await bench.add();
  assert.deepEqual(listTagsOf(bench.store, id), tags);
});

Deno.test("addFiles() updates a changed file in place: id, docid, times, tags", async () => {
  let time = "2026-01-01T00:00:00.000Z";
  using bench = openBench({
    "a.md": "---\ntags: [old, both]\n---\n# First\n\nalpha words",
  }, () => time);
  const id = idOf(await bench.add({ tags: ["mine"] }), "a.md");
  const before = findDocument(bench.store, id);
  addTags(bench.store, id, ["by hand", "collection:work"]);
  time = "2026-02-01T00:00:00.000Z";
  writeFileSync(
    join(bench.root, "a.md"),
    "---\ntags: [both, new]\n---\n# Second\n\nomega words",
  );
  const report = await bench.add();
  assert.deepEqual(report.counts, { indexed: 1 });
  assert.equal(idOf(report, "a.md"), id);
  const after = findDocument(bench.store, id);
  assert.equal(after?.docid, before?.docid);
  assert.equal(after?.title, "Second");
  assert.equal(after?.createdAt, "2026-01-01T00:00:00.000Z");
  assert.equal(after?.updatedAt, "2026-02-01T00:00:00.000Z");
  assert.deepEqual(listTagsOf(bench.store, id), [
    "both",
    "by hand",
    "collection:work",
    "mine",
    "new",
  ]);
  assert.equal(countHits(bench.store, "alpha"), 0);
  assert.equal(countHits(bench.store, "omega"), 1);
  assertIntact(bench.store);
});

Deno.test("addFiles() takes no collection from frontmatter, neither at first nor at an update", async () => {
  const frontmatter = "---\ntags: ['collection:work', x]\n---\n";
  using bench = openBench({ "a.md": `${frontmatter}alpha` });
  const id = idOf(await bench.add({ collection: "work" }), "a.md");
  assert.deepEqual(listTagsOf(bench.store, id), ["collection:work", "x"]);
  writeFileSync(join(bench.root, "a.md"), `${frontmatter}omega`);
  await bench.add();
  assert.deepEqual(listTagsOf(bench.store, id), ["collection:work", "x"]);
});

Deno.test("addFiles() keeps the chunks of sections that did not change", async () => {
  const [one, two] = ["# One\n\nalpha\n\n", "# Two\n\nbeta\n"];
  using bench = openBench({ "a.md": `---\ntitle: T\n---\n${one}${two}` });
  const idsOf = (word: string) =>
    matchChunks(bench.store, word, { limit: 9 }).map((hit) => hit.chunkId);
  await bench.add();
  const kept = idsOf("alpha");
  writeFileSync(
    join(bench.root, "a.md"),
    `---\ntitle: T\n---\n${one}${two}more\n`,
  );
  await bench.add();
  assert.deepEqual(idsOf("alpha"), kept);
  assertIntact(bench.store);
});

Deno.test("addFiles() stores the same bytes at two paths as two documents that share sections", async () => {
  const text = "# One\n\nalpha\n\n# Two\n\nbeta\n";
  using bench = openBench({ "a.md": text, "b.md": text });
  const report = await bench.add();
  assert.deepEqual(report.counts, { indexed: 2 });
  assert.notEqual(idOf(report, "a.md"), idOf(report, "b.md"));
  assert.equal(countRows(bench.store, "sections"), 2);
  assert.equal(countRows(bench.store, "document_sections"), 4);
  rmSync(join(bench.root, "a.md"));
  await bench.add();
  assert.equal(countHits(bench.store, "alpha"), 1);
  assertIntact(bench.store);
});

Deno.test("addFiles() removes documents whose files are gone, and reports them last", async () => {
  using bench = openBench({ "a.md": "alpha", "b/c.md": "gamma", "d.md": "d" });
  const first = await bench.add();
  rmSync(join(bench.root, "a.md"));
  rmSync(join(bench.root, "b"), { recursive: true });
  const report = await bench.add();
  assert.deepEqual(
    report.files.map(({ path, state }) => [relative(bench.root, path), state]),
    [["d.md", "unchanged"], ["a.md", "removed"], ["b/c.md", "removed"]],
  );
  assert.equal(idOf(report, "a.md"), idOf(first, "a.md"));
  assert.equal(countRows(bench.store, "documents"), 1);
  assert.equal(countHits(bench.store, "alpha"), 0);
  assertIntact(bench.store);
});

Deno.test("addFiles() of one folder leaves the documents of others alone", async () => {
  using bench = openBench({ "a/x.md": "alpha", "ab/y.md": "beta" });
  await bench.add();
  rmSync(join(bench.root, "ab"), { recursive: true });
  await bench.add({}, "a");
  assert.equal(countHits(bench.store, "beta"), 1);
});

Deno.test("addFiles() keeps the document of a file that was renamed", async () => {
  using bench = openBench({ "a.md": "alpha" });
  const first = await bench.add();
  renameSync(join(bench.root, "a.md"), join(bench.root, "b.md"));
  const report = await bench.add();
  assert.deepEqual(statesOf(report), { "b.md": "indexed" });
  assert.equal(report.files[0]?.movedFrom, join(bench.root, "a.md"));
  assert.equal(idOf(report, "b.md"), idOf(first, "a.md"));
  assert.equal(countHits(bench.store, "alpha"), 1);
  assertIntact(bench.store);
});

Deno.test.each<
  { rule: string; state: FileState; spoil: (path: string) => void }
>([
  {
    rule: "becomes a dangling link",
    state: "unreadable",
    spoil: (path) => {
      rmSync(path);
      symlinkSync("gone", path);
    },
  },
  {
    rule: "becomes a program",
    state: "binary",
    spoil: (path) => writeFileSync(path, PROGRAM),
  },
  {
    rule: "becomes too large",
    state: "too_large",
    spoil: (path) => truncateSync(path, LIMITS.fileBytes + 1),
  },
  {
    rule: "is no longer UTF-8",
    state: "not_text",
    spoil: (path) => writeFileSync(path, Uint8Array.of(0x61, 0xff, 0x62)),
  },
])("addFiles() keeps the document of a file that $rule", async (row) => {
  using bench = openBench({ "a.md": "alpha", "b.md": "beta" });
  await bench.add();
  row.spoil(join(bench.root, "a.md"));
  const report = await bench.add();
  assert.equal(reportOn(report, "a.md").state, row.state);
  assert.equal(countHits(bench.store, "alpha"), 1);
  assertIntact(bench.store);
});

Deno.test("addFiles() says that the version indexed before is kept", async () => {
  using bench = openBench({ "a.md": "alpha" });
  await bench.add();
  writeFileSync(join(bench.root, "a.md"), PROGRAM);
  const { reason = "" } = reportOn(await bench.add(), "a.md");
  assert.match(reason, /ELF.*indexed before is kept/);
});

Deno.test("addFiles() keeps the document of a file that vanishes between finding and reading it", async () => {
  using bench = openBench({ "1000.md": "alpha" });
  await bench.add();
  const path = join(bench.root, "1000.md");
  writeFileSync(path, "newer");
  writeTree(bench.root, manyFiles(600, 1001));
  const report = await bench.add({
    onProgress: ({ phase }) => {
      if (phase === "scan") rmSync(path, { force: true });
    },
  });
  assert.deepEqual(report.counts, { indexed: 600, unreadable: 1 });
  assert.match(
    reportOn(report, "1000.md").reason ?? "",
    /does not exist \(ENOENT\)\. The version indexed before is kept\.$/,
  );
  assert.equal(countHits(bench.store, "alpha"), 1);
});

Deno.test("addFiles() empties the document of a file that was emptied, and fills it again", async () => {
  using bench = openBench({ "a.md": "alpha" });
  const id = idOf(await bench.add(), "a.md");
  writeFileSync(join(bench.root, "a.md"), "");
  const emptied = await bench.add();
  assert.deepEqual(emptied.counts, { empty: 1 });
  assert.equal(idOf(emptied, "a.md"), id);
  assert.equal(countHits(bench.store, "alpha"), 0);
  writeFileSync(join(bench.root, "a.md"), "omega");
  const filled = await bench.add();
  assert.deepEqual(filled.counts, { indexed: 1 });
  assert.equal(idOf(filled, "a.md"), id);
  assert.equal(countHits(bench.store, "omega"), 1);
  assertIntact(bench.store);
});

Deno.test("addFiles() takes a file in again after its document was deleted", async () => {
  using bench = openBench({ "a.md": "alpha" });
  const id = idOf(await bench.add(), "a.md");
  deleteDocument(bench.store, id);
  const report = await bench.add();
  assert.deepEqual(report.counts, { indexed: 1 });
  assert.notEqual(idOf(report, "a.md"), id);
  assert.equal(countHits(bench.store, "alpha"), 1);
  assertIntact(bench.store);
});

Deno.test("addFiles() keeps what is stored when it is cancelled, and goes on from there", async () => {
  using bench = openBench(manyFiles(1200));
  const controller = new AbortController();
  await assert.rejects(
    bench.add({
      signal: controller.signal,
      onProgress: ({ phase }) => {
        if (phase === "store") controller.abort();
      },
    }),
    (error: unknown) => error instanceof KbError && error.code === "cancelled",
  );
  const kept = countRows(bench.store, "documents");
  assert.ok(kept > 0 && kept < 1200, `${kept}`);
  const report = await bench.add();
  assert.deepEqual(report.counts, { unchanged: kept, indexed: 1200 - kept });
  assertIntact(bench.store);
});

Deno.test("addFiles() stores nothing when it is cancelled before", async () => {
  using bench = openBench({ "a.md": "alpha" });
  await assert.rejects(bench.add({ signal: AbortSignal.abort() }), KbError);
  assert.equal(countRows(bench.store, "documents"), 0);
});

Deno.test("addFiles() tells how far it is", async () => {
  using bench = openBench({ "a.md": "alpha", "b.md": "be", "c.so": PROGRAM });
  const seen: Progress[] = [];
  await bench.add({ onProgress: (progress) => seen.push(progress) });
  assert.deepEqual(seen, [
    { phase: "store", done: 3, total: 3, doneSize: 15, totalSize: 15 },
  ]);
});

Deno.test("addFiles() keeps two files apart whose names differ in normalization", async () => {
  const [composed, decomposed] = ["caf\u00e9.md", "cafe\u0301.md"];
  using bench = openBench({ [composed]: "alpha", [decomposed]: "beta" });
  await bench.add();
  for (const name of [composed, decomposed]) {
    const path = join(bench.root, name);
    assert.equal(findDocumentsBy(bench.store, "source_path", path).length, 1);
  }
});
