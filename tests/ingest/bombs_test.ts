import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { truncateSync } from "node:fs";
import { join } from "node:path";
import { gzipSync as gzip } from "node:zlib";
import { zipSync } from "fflate";
import { LIMITS } from "../../lib/core/mod.ts";
import type { FileReport } from "../../lib/kb/mod.ts";
import { openTempKb } from "../helpers/temp_kb.ts";

/** Adds one file, archives unpacked, and gives the reports on it and on what is in it. */
async function addOne(
  name: string,
  bytes: Uint8Array,
): Promise<readonly FileReport[]> {
  await using temp = openTempKb();
  const { files } = await temp.kb.add(
    temp.folder({ [name]: bytes, "good.md": "good" }),
    { takesArchives: true },
  );
  const good = files.find(({ path }) => path.endsWith("good.md"));
  assert.equal(good?.state, "indexed");
  return files.filter((report) => report !== good);
}

/** A directory of a ZIP file with very many entries that are not there. */
function manyEntries(count: number): Uint8Array {
  const record = Buffer.alloc(47);
  record.writeUInt32LE(0x02014b50, 0);
  record.writeUInt16LE(1, 28);
  record.write("a", 46);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Math.min(count, 0xffff), 10);
  end.writeUInt32LE(4, 16);
  return Buffer.concat([
    Buffer.from("PK\x03\x04", "latin1"),
    Buffer.alloc(47 * count, record),
    end,
  ]);
}

const ZEROS = new Uint8Array(LIMITS.fileBytes);

Deno.test("add() says too_large of an archive with a million entries", async () => {
  const [report, ...others] = await addOne("x.zip", manyEntries(1_000_000));
  assert.equal(report?.state, "too_large");
  assert.match(report?.reason ?? "", /more files/);
  assert.deepEqual(others, []);
});

Deno.test("add() says too_large of a file in an archive that unpacks to far more than its bytes", async () => {
  const [archive, member] = await addOne(
    "x.zip",
    zipSync({ "zeros.txt": ZEROS }),
  );
  assert.equal(archive?.state, "indexed");
  assert.equal(member?.state, "too_large");
  assert.match(member?.reason ?? "", /more than \d+ bytes unpacked/);
});

Deno.test("add() says too_large of an archive whose files unpack to too much together", async () => {
  const packed = zipSync({ "0": ZEROS.subarray(0, 16 * 1024 * 1024) });
  const files = Object.fromEntries(
    Array.from({ length: 20 }, (_, i) => [`${i}.zip`, packed]),
  );
  const reports = await addOne("x.zip", zipSync(files));
  assert.ok(reports.every(({ state }) => state !== "unreadable"));
  assert.ok(
    reports.some(({ state, reason }) =>
      state === "too_large" && /unpack/.test(reason ?? "")
    ),
  );
});

Deno.test("add() says too_large of a packed file that unpacks to far more than its bytes", async () => {
  const reports = await addOne("x.txt.gz", gzip(ZEROS));
  assert.equal(reports[1]?.state, "too_large");
});

Deno.test("add() says too_large of archives that are nested too deep", async () => {
  let bytes: Uint8Array = zipSync({ "a.md": new TextEncoder().encode("deep") });
  for (let depth = 0; depth < LIMITS.archiveDepth; depth++) {
    bytes = zipSync({ "in.zip": bytes });
  }
  const reports = await addOne("x.zip", bytes);
  assert.deepEqual(
    reports.map(({ state }) => state),
    ["indexed", "indexed", "indexed", "too_large"],
  );
});

Deno.test("add() says too_large of a line of 100 MB without reading it", async () => {
  await using temp = openTempKb();
  const folder = temp.folder({ "a.html": "<p>", "b.md": "beta" });
  truncateSync(join(folder, "a.html"), 100_000_000);
  const { counts } = await temp.kb.add(folder);
  assert.deepEqual(counts, { too_large: 1, indexed: 1 });
});

Deno.test.each([
  { name: "a.json", text: "[".repeat(100_000), state: "indexed" },
  { name: "a.xml", text: "<a>".repeat(100_000), state: "too_large" },
  { name: "a.html", text: "<b>".repeat(100_000), state: "too_large" },
])(
  "add() says $state of $name that is nested 100,000 deep",
  async ({ name, text, state }) => {
    const [report] = await addOne(name, new TextEncoder().encode(text));
    assert.equal(report?.state, state);
  },
);
