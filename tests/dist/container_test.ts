import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { validate } from "dockerfile-utils";
import { parse } from "yaml";
import { SETTINGS } from "../../lib/cli/settings/table.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** A service of `compose.yaml`, as far as it is looked at. */
interface Service {
  readonly profiles: readonly string[];
  readonly restart: string;
  readonly volumes: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly deploy?: unknown;
  readonly devices?: readonly string[];
}

function readCompose(): { text: string; services: [string, Service][] } {
  const text = readFileSync(join(ROOT, "compose.yaml"), "utf8");
  const { services } = parse(text, { merge: true }) as {
    services: Record<string, Service>;
  };
  return { text, services: Object.entries(services) };
}

Deno.test("Dockerfile has no fault that a linter finds", () => {
  const text = readFileSync(join(ROOT, "Dockerfile"), "utf8");
  assert.deepEqual(validate(text), []);
  assert.match(text, /^USER \d+$/m);
  assert.match(text, /^HEALTHCHECK /m);
  assert.match(text, /^VOLUME /m);
});

Deno.test("Dockerfile copies no more than what is named beside it, all of which is there", () => {
  const named = readFileSync(join(ROOT, ".dockerignore"), "utf8")
    .split("\n").filter((line) => line.startsWith("!"));
  assert.ok(named.length > 0);
  for (const line of named) assert.ok(existsSync(join(ROOT, line.slice(1))));
});

Deno.test("compose.yaml has a service for each way to make vectors", () => {
  const { services } = readCompose();
  assert.deepEqual(
    services.map(([, { profiles }]) => profiles),
    [["cpu"], ["nvidia"], ["rocm"]],
  );
  for (const [name, { restart, volumes }] of services) {
    assert.equal(restart, "unless-stopped", name);
    assert.match(volumes.join(), /:\/data$/, name);
  }
  const [, nvidia, rocm] = services.map(([, service]) => service);
  assert.match(JSON.stringify(nvidia?.deploy), /"driver":"nvidia"/);
  assert.ok(rocm?.devices?.includes("/dev/kfd"));
});

Deno.test("compose.yaml sets only what kbdb reads, each with a comment", () => {
  const { text, services } = readCompose();
  const known = new Set([
    ...SETTINGS.flatMap(({ env }) => env),
  ]);
  for (const [name, { environment }] of services) {
    assert.ok("KB_MCP_ALLOWED_HOSTS" in environment, name);
    for (const variable of Object.keys(environment)) {
      if (variable.startsWith("NVIDIA_")) continue;
      assert.ok(known.has(variable), `${name} sets ${variable}`);
    }
  }
  assert.match(text, / {2}# .*\n {2}KB_MCP_ALLOWED_HOSTS:/);
});
