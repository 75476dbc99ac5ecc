import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openApiKeys } from "../../lib/kb/mod.ts";
import { openTempKb } from "../helpers/temp_kb.ts";

Deno.test("create() gives a key of which the base holds a digest only", async () => {
  await using temp = openTempKb();
  using keys = openApiKeys(temp.dir);
  const { key, info } = keys.create(" laptop ", "write");
  assert.match(key, /^kbdb_[A-Za-z0-9_-]{43}$/);
  assert.deepEqual([info.name, info.scope, info.lastUsedAt], [
    "laptop",
    "write",
    null,
  ]);
  assert.deepEqual(keys.list(), [info]);
  assert.notEqual(keys.create("other", "read").key, key);
  await temp.kb.close();
  keys.close();
  assert.ok(!readFileSync(join(temp.dir, "kb.db")).includes(key));
});

Deno.test("create() refuses a name that is taken, blank or of two lines", async () => {
  await using temp = openTempKb();
  using keys = openApiKeys(temp.dir);
  keys.create("laptop", "read");
  assert.throws(() => keys.create("laptop", "read"), { code: "conflict" });
  assert.throws(() => keys.create("  ", "read"), { code: "invalid_input" });
  assert.throws(() => keys.create("a\nb", "read"), { code: "invalid_input" });
});

Deno.test("revoke() holds for another connection at once, and names the keys there are", async () => {
  await using temp = openTempKb();
  using keys = openApiKeys(temp.dir);
  using server = openApiKeys(temp.dir, { busyTimeoutMs: 0 });
  keys.create("a", "read");
  keys.create("b", "admin");
  assert.deepEqual(server.read().map(({ name }) => name), ["a", "b"]);
  keys.revoke("a");
  assert.deepEqual(server.read().map(({ name }) => name), ["b"]);
  assert.throws(() => keys.revoke("a"), {
    code: "not_found",
    message: /there is: b/,
  });
});

Deno.test("touch() notes when a key was used, at most once a minute, and never waits or brings a key back", async () => {
  await using temp = openTempKb();
  let now = "2026-01-01T00:00:00.000Z";
  using keys = openApiKeys(temp.dir, { now: () => now, busyTimeoutMs: 0 });
  keys.create("a", "read");
  keys.touch("a");
  assert.equal(keys.list()[0]?.lastUsedAt, now);
  now = "2026-01-01T00:00:30.000Z";
  keys.touch("a");
  assert.equal(keys.list()[0]?.lastUsedAt, "2026-01-01T00:00:00.000Z");
  now = "2026-01-01T00:01:00.000Z";
  keys.touch("a");
  assert.equal(keys.list()[0]?.lastUsedAt, now);
  keys.revoke("a");
  now = "2026-01-01T00:09:00.000Z";
  keys.touch("a");
  assert.deepEqual(keys.list(), []);
});

Deno.test("touch() writes nothing on a server that is read-only", async () => {
  await using temp = openTempKb();
  using keys = openApiKeys(temp.dir);
  keys.create("a", "read");
  using server = openApiKeys(temp.dir, { readOnly: true });
  server.touch("a");
  assert.equal(keys.list()[0]?.lastUsedAt, null);
});
