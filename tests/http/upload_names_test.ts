import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { startServer, type TestServer } from "../helpers/http.ts";

function file(name: string, text: string): File {
  return new File([text], name);
}

/** What lies in the folder of uploaded files. */
function uploads({ temp }: TestServer): string[] {
  const dir = join(temp.dir, "files");
  return existsSync(dir) ? readdirSync(dir) : [];
}

Deno.test("POST /jobs keeps a name as data, whatever it says", async () => {
  await using server = await startServer();
  const rows = [
    ["../../etc/passwd", "etc/passwd"],
    ["/abs/olute.md", "abs/olute.md"],
    ["..\\..\\win.md", "win.md"],
    ["C:\\a\\b.md", "a/b.md"],
    ["..%2f..%2fx.md", "..%2f..%2fx.md"],
    ["nul\0.md", "nul.md"],
    ["CON", "CON"],
    ["naïve – 日本.md", "naïve – 日本.md"],
    ['quo"te.md', null],
  ] as const;
  for (const [index, [name, expected]] of rows.entries()) {
    const job = await server.ingest({
      file: file(name, `text number ${index}`),
    });
    const { path } = server.kb.info(String(job.document_id));
    if (expected !== null) assert.equal(path, expected);
    const download = await server.call(
      "GET",
      `/api/v1/documents/${job.document_id}/file`,
    );
    assert.equal(download.status, 200, name);
    assert.equal(download.text, `text number ${index}`);
  }
  for (const name of uploads(server)) assert.match(name, /^[0-9a-f]{64}$/);
});

Deno.test("POST /jobs keeps a source path and a collection as data, whatever they say", async () => {
  await using server = await startServer();
  const rows = [
    ["../../x.md", "x.md"],
    ["/etc/passwd.md", "etc/passwd.md"],
    ["..%2fq.md", "..%2fq.md"],
    ["C:\\x.md", "x.md"],
    ["sub/../../y.md", "sub/y.md"],
  ] as const;
  for (const [source_path, expected] of rows) {
    const job = await server.ingest({
      file: file("a.md", `text of ${source_path}`),
      source_path,
      collection: "../y",
    });
    const { path, collection } = server.kb.info(String(job.document_id));
    assert.deepEqual([path, collection], [expected, "../y"], source_path);
  }
  for (const name of uploads(server)) assert.match(name, /^[0-9a-f]{64}$/);
});
