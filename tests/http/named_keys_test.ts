import assert from "node:assert/strict";
import { openApiKeys } from "../../lib/kb/mod.ts";
import { KEY_TEXT, KEYS, startServer } from "../helpers/http.ts";
import { openTempKb } from "../helpers/temp_kb.ts";

const PATH = "/api/v1/status";

Deno.test("a named key is good beside those of the environment, for what it may do, until it is revoked", async () => {
  await using temp = openTempKb();
  using keys = openApiKeys(temp.dir);
  await using server = await startServer({ keys: KEY_TEXT, namedKeys: keys });
  const { key } = keys.create("laptop", "read");
  assert.equal((await server.call("GET", PATH, { key })).status, 200);
  assert.equal(
    (await server.call("GET", PATH, { key: KEYS.read })).status,
    200,
  );
  const note = { key, json: { text: "x" } };
  assert.equal(
    (await server.call("POST", "/api/v1/reindex", note)).status,
    403,
  );
  assert.ok(keys.list()[0]?.lastUsedAt !== null, "its use is noted");
  keys.revoke("laptop");
  assert.equal((await server.call("GET", PATH, { key })).status, 401);
});

Deno.test("a named key lets in at /mcp too, where other keys are good", async () => {
  await using temp = openTempKb();
  using keys = openApiKeys(temp.dir);
  await using server = await startServer({
    keys: KEY_TEXT,
    mcpKeys: "key-of-an-agent",
    namedKeys: keys,
  });
  const { key } = keys.create("agent", "read");
  const { status } = await server.call("POST", "/mcp", { key, json: {} });
  assert.ok(status !== 401 && status !== 403, String(status));
  assert.equal(
    (await server.call("POST", "/mcp", { key: KEYS.admin, json: {} })).status,
    401,
  );
});

Deno.test("a server without keys needs one as soon as there is one, and goes on needing it when the last is revoked", async () => {
  await using temp = openTempKb();
  using keys = openApiKeys(temp.dir);
  await using server = await startServer({ namedKeys: keys });
  assert.equal((await server.call("GET", PATH)).status, 200);
  const { key } = keys.create("laptop", "read");
  assert.equal((await server.call("GET", PATH)).status, 401);
  assert.equal((await server.call("GET", PATH, { key })).status, 200);
  keys.revoke("laptop");
  assert.equal((await server.call("GET", PATH)).status, 401);
});
