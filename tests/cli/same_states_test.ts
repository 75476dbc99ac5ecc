import assert from "node:assert/strict";
import { truncateSync } from "node:fs";
import { join } from "node:path";
import { LIMITS } from "../../lib/core/mod.ts";
import { listFixtures } from "../helpers/extract_fixtures.ts";
import { startServer } from "../helpers/http.ts";
import { CliFolder } from "../helpers/run_cli.ts";

/** A file of a fixture. */
function fixture(type: string, name: string): Uint8Array {
  const found = listFixtures(type).find((one) => one.name === name);
  assert.ok(found !== undefined);
  return found.bytes;
}

/** Files of every way to end, by name. */
const FILES: Readonly<Record<string, [state: string, bytes: Uint8Array]>> = {
  "ok.md": ["indexed", utf8("# Relay\n\nThe relay clicks.\n")],
  "named_wrongly.md": ["indexed", fixture("pdf", "outline.pdf")],
  "empty.md": ["empty", utf8("")],
  "guess.txt": ["not_text", Uint8Array.of(0xe9, 0x20, 0xa4, 0x20, 0x81, 0xfe)],
  "nul.md": ["binary", utf8("a\0b")],
  "old.doc": [
    "unsupported",
    Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1),
  ],
  "locked.pdf": ["password_required", fixture("pdf", "locked.pdf")],
  "scan.pdf": ["no_text", fixture("pdf", "scan.pdf")],
  "cut.docx": ["corrupted", fixture("docx", "truncated.docx")],
  "deep.html": ["too_large", utf8("<b>".repeat(100_000))],
};

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** What a file came to, without where it was. */
interface Ending {
  readonly state: string;
  readonly reason: string | undefined;
  readonly warnings: readonly string[];
}

/** A report of a file, as JSON. */
type Reported = Partial<Ending> & { readonly path: string };

function toEnding({ state = "", reason, warnings = [] }: Reported): Ending {
  return { state, reason, warnings };
}

/** Writes the folder of all files. */
function openFolder(): CliFolder {
  const folder = new CliFolder();
  for (const [name, [, bytes]] of Object.entries(FILES)) {
    folder.write({ [`all/${name}`]: bytes });
  }
  return folder;
}

/** How `kbdb extract` says that each file ends. */
async function extractAll(folder: CliFolder): Promise<Map<string, Ending>> {
  const endings = new Map<string, Ending>();
  for (const name of Object.keys(FILES)) {
    const { out } = await folder.run(["extract", `all/${name}`, "--json"]);
    endings.set(name, toEnding(JSON.parse(out).report));
  }
  return endings;
}

Deno.test("kbdb extract, add and sync say the same of a file of every state", async () => {
  using folder = openFolder();
  const expected = await extractAll(folder);
  for (const [name, [state]] of Object.entries(FILES)) {
    assert.equal(expected.get(name)?.state, state, name);
  }
  assert.match(expected.get("named_wrongly.md")?.warnings[0] ?? "", /PDF/i);
  for (const command of ["add", "sync"]) {
    const db = join(folder.root, command);
    const args = ["--db", db];
    await folder.run(["init", ...args]);
    const taken = await folder.run([
      command,
      "all",
      "--no-embed",
      "--json",
      ...args,
    ]);
    const [report] = [JSON.parse(taken.out)].flat();
    const files: readonly Reported[] = report.files ?? report.reports[0].files;
    const endings = new Map(
      files.map((file) => [file.path.split("/").at(-1) ?? "", toEnding(file)]),
    );
    for (const name of Object.keys(FILES)) {
      assert.deepEqual(endings.get(name), expected.get(name), name);
    }
    const path = join(folder.cwd, "all/named_wrongly.md");
    const { out, err } = await folder.run(["info", path, ...args]);
    for (const warning of expected.get("named_wrongly.md")?.warnings ?? []) {
      assert.ok(`${out}${err}`.includes(`warning: ${warning}`), err);
    }
  }
});

Deno.test("a job of an upload says the same of a file of every state as kbdb extract", async () => {
  using folder = openFolder();
  const expected = await extractAll(folder);
  await using server = await startServer();
  for (const [name, [, bytes]] of Object.entries(FILES)) {
    const job = await server.ingest({
      file: new File([new Uint8Array(bytes)], name),
    });
    const ending = expected.get(name);
    assert.equal(job.state, ending?.state, name);
    if (job.status === "failed") assert.equal(job.error, ending?.reason, name);
    else if (job.document_id !== null) {
      const path = `/api/v1/documents/${job.document_id}`;
      const { warnings } = (await server.call("GET", path)).json;
      // What is stored keeps why it has no text.
      const expectedHere = ending?.state === "empty"
        ? [ending.reason]
        : ending?.warnings;
      assert.deepEqual(warnings, expectedHere, name);
    }
  }
});

Deno.test("kbdb extract, add and sync say too_large of a file above the limit", async () => {
  using folder = new CliFolder();
  folder.write({ "all/long.txt": "" });
  truncateSync(join(folder.cwd, "all/long.txt"), LIMITS.fileBytes + 1);
  const { out } = await folder.run(["extract", "all/long.txt", "--json"]);
  const { state, reason } = JSON.parse(out).report;
  assert.equal(state, "too_large");
  await folder.run(["init"]);
  for (const command of ["add", "sync"]) {
    const taken = await folder.run([command, "all", "--no-embed", "--json"]);
    assert.ok(taken.out.includes(JSON.stringify(reason)), taken.out);
  }
});
