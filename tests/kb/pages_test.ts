import assert from "node:assert/strict";
import { join } from "node:path";
import { startServer } from "../helpers/http.ts";
import { addPagedDocument } from "../helpers/paged_document.ts";
import { CliFolder } from "../helpers/run_cli.ts";
import { openTempKb } from "../helpers/temp_kb.ts";

Deno.test("search() gives the page of a section, and its own lines where those of the text are none of the file", async () => {
  await using temp = openTempKb();
  const { kb, dir } = temp;
  addPagedDocument(dir);
  const { hits: [hit] } = await kb.search("marmalade", { retriever: "fts" });
  assert.deepEqual([hit?.page, hit?.lineStart, hit?.lineEnd], [2, 1, 1]);
  const ref = "/books/paged.pdf";
  assert.deepEqual(kb.info(ref).sections.map(({ page }) => page), [1, 2]);
  assert.deepEqual(
    kb.chunks(ref).map(({ page, lineStart, lineEnd }) => [
      page,
      lineStart,
      lineEnd,
    ]),
    [[1, 1, 1], [2, 1, 1]],
  );
});

Deno.test("search() gives no page of a text file", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  await kb.add(temp.folder({ "a.md": "marmalade" }));
  const { hits: [hit] } = await kb.search("marmalade", { retriever: "fts" });
  assert.equal(hit?.page, null);
});

Deno.test("kbdb search names the page instead of a line, kbdb info pages and warnings", async () => {
  using folder = new CliFolder();
  const db = join(folder.cwd, ".kbdb");
  await folder.run(["init"]);
  addPagedDocument(db);
  const { out } = await folder.run(["search", "marmalade", "--fts-only"]);
  assert.match(out, /paged\.pdf p\. 2 /);
  const info = await folder.run(["info", "/books/paged.pdf"]);
  assert.match(info.out + info.err, /warning: The name ends in/);
  assert.match(info.out, /p\. 1\b[^]*p\. 2\b/);
});

Deno.test("POST /search answers the page of a hit, GET /documents that of a chunk", async () => {
  await using server = await startServer({ runsJobs: false });
  addPagedDocument(server.temp.dir);
  const { json } = await server.call("POST", "/api/v1/search", {
    json: { query: "marmalade", fts_only: true },
  });
  assert.equal(json.results[0].page, 2);
  const detail = await server.call(
    "GET",
    `/api/v1/documents/${json.results[0].document_id}`,
  );
  assert.deepEqual(
    detail.json.chunks.map((chunk: { page: number }) => chunk.page),
    [1, 2],
  );
});
