import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { KEY_TEXT, startServer } from "../helpers/http.ts";

Deno.test("GET / is one page that runs its own script only and loads nothing", async () => {
  await using server = await startServer({ keys: KEY_TEXT, runsJobs: false });
  const { text, headers } = await server.call("GET", "/");
  const [, script = ""] = /<script>([^]*)<\/script>/.exec(text) ?? [];
  const hash = createHash("sha256").update(script).digest("base64");
  const policy = headers.get("content-security-policy") ?? "";
  assert.ok(policy.includes(`script-src 'sha256-${hash}';`), policy);
  assert.match(policy, /^default-src 'none';.* frame-ancestors 'none'$/);
  assert.equal(text.match(/<script/g)?.length, 1);
  assert.doesNotMatch(text, /https?:|innerHTML|\bsrc=/);
});
