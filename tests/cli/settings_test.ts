import assert from "node:assert/strict";
import { parseConfig } from "../../lib/cli/settings/config_file.ts";
import { KbError } from "../../lib/core/mod.ts";
import { CliFolder } from "../helpers/run_cli.ts";

/** What `kbdb config --format json` says of each setting. */
async function shown(
  folder: CliFolder,
  env: Record<string, string> = {},
): Promise<Map<string, { value: unknown; source: string; from: string }>> {
  const { code, out, err } = await folder.run(
    ["config", "--format", "json", "--db", "base"],
    { env },
  );
  assert.equal(code, 0, err);
  const { settings } = JSON.parse(out);
  return new Map(
    settings.map((
      { name, value, source, from }: {
        name: string;
        value: unknown;
        source: string;
        from: string;
      },
    ) => [name, { value, source, from }]),
  );
}

Deno.test("kbdb config shows defaults where nothing else is said", async () => {
  using folder = new CliFolder();
  const settings = await shown(folder);
  assert.deepEqual(settings.get("port"), {
    value: 8000,
    source: "default",
    from: "",
  });
  assert.deepEqual(settings.get("apiKeys")?.value, []);
  assert.equal(settings.get("model")?.value, null);
  assert.equal(settings.get("base")?.source, "flag");
});

Deno.test("kbdb config takes config.jsonc before defaults and the environment before it", async () => {
  using folder = new CliFolder();
  folder.write({
    "base/config.jsonc": `{
      // comments and trailing commas are fine
      "searchThreshold": 0.25,
      "port": 9000,
      "allowedHosts": ["kb.example.com"],
    }`,
  });
  const settings = await shown(folder, {
    KB_SEARCH_THRESHOLD: "0.5",
    KB_MODEL: " ",
  });
  assert.deepEqual(settings.get("searchThreshold"), {
    value: 0.5,
    source: "environment",
    from: "KB_SEARCH_THRESHOLD",
  });
  assert.equal(settings.get("port")?.value, 9000);
  assert.equal(settings.get("port")?.source, "config");
  assert.match(settings.get("port")?.from ?? "", /config\.jsonc$/);
  assert.deepEqual(settings.get("allowedHosts")?.value, ["kb.example.com"]);
  assert.equal(settings.get("model")?.source, "default");
});

Deno.test("kbdb config never shows a key", async () => {
  using folder = new CliFolder();
  folder.write({
    "base/config.jsonc": `{ "mcpApiKeys": ["secret-of-agents:write"] }`,
  });
  for (const format of ["text", "json"]) {
    const { out, err } = await folder.run(
      ["config", "--db", "base", "--format", format],
      { env: { KB_API_KEY: "secret-one:read, secret-two" } },
    );
    assert.ok(!/secret/.test(out + err), out + err);
    assert.match(out, /\*{8}:read/);
    assert.match(out, /\*{8}:write/);
    assert.match(out, /KB_API_KEY/);
  }
});

Deno.test.each([
  { text: "1000", bytes: 1000 },
  { text: "1MB", bytes: 1_000_000 },
  { text: "1.5 mb", bytes: 1_500_000 },
  { text: "64MiB", bytes: 67_108_864 },
  { text: "2kB", bytes: 2000 },
  { text: "8.2MB", bytes: 8_200_000 },
  { text: "2KiB", bytes: 2048 },
  { text: "512MiB", bytes: 536_870_912 },
])("KB_MAX_UPLOAD_BYTES $text is $bytes bytes", async ({ text, bytes }) => {
  using folder = new CliFolder();
  const settings = await shown(folder, { KB_MAX_UPLOAD_BYTES: text });
  assert.equal(settings.get("maxUploadBytes")?.value, bytes);
});

Deno.test("a size that is none, or too large, is refused with the units there are", async () => {
  using folder = new CliFolder();
  for (const text of ["", "MB", "1 parsec", "-1", "0", "1GB", "0.5", "1e3"]) {
    const flag = await folder.run(["serve", `--max-upload=${text}`]);
    assert.equal(flag.code, 2, text);
    assert.match(flag.err, /1 to 536870912 bytes; .*such as 100MB or 64MiB/);
    if (text === "") continue;
    const variable = await folder.run(["config"], {
      env: { KB_MAX_UPLOAD_BYTES: text },
    });
    assert.equal(variable.code, 2, text);
    assert.match(variable.err, /bytes; .*100MB or 64MiB/);
  }
  const help = await folder.run(["serve", "--help"]);
  assert.match(help.out, /--max-upload <size> .*kB, MB, GB, KiB/s);
});

Deno.test("the base is that of --db, KBDB_DIR, KB_DATA_PATH, in this order", async () => {
  using folder = new CliFolder();
  const env: Record<string, string> = { KB_DATA_PATH: "data" };
  async function base(...args: string[]): Promise<string> {
    const { out } = await folder.run(["config", "--format", "json", ...args], {
      env,
    });
    return JSON.parse(out).dir.slice(folder.cwd.length + 1);
  }
  assert.equal(await base(), "data");
  env["KBDB_DIR"] = "dir";
  assert.equal(await base(), "dir");
  assert.equal(await base("--db", "db"), "db");
});

Deno.test("kbdb search takes its threshold from the option, the environment, the file", async () => {
  using folder = new CliFolder();
  await folder.run(["init", "--db", "base"]);
  for (const text of ["an apple", "an apple among many other words and more"]) {
    await folder.run(["addnote", "--no-embed", text, "--db", "base"]);
  }
  async function hits(
    args: string[] = [],
    env: Record<string, string> = {},
  ): Promise<number> {
    const { out, err, code } = await folder.run(
      ["search", "apple", "--fts-only", "--db", "base", "--format", "json"]
        .concat(args),
      { env },
    );
    assert.equal(code, 0, err);
    return JSON.parse(out).hits.length;
  }
  assert.equal(await hits(), 2);
  folder.write({ "base/config.jsonc": `{ "searchThreshold": 1 }` });
  assert.equal(await hits(), 1);
  assert.equal(await hits([], { KB_SEARCH_THRESHOLD: "0" }), 2);
  assert.equal(
    await hits(["--threshold", "1"], { KB_SEARCH_THRESHOLD: "0" }),
    1,
  );
});

Deno.test("a model named in config.jsonc is used, a relative folder from the base", async () => {
  using folder = new CliFolder();
  folder.write({ "base/config.jsonc": `{ "model": "./models/mine" }` });
  const { code, err } = await folder.run(["model", "check", "--db", "base"]);
  assert.equal(code, 69);
  assert.match(err, /work[/\\]base[/\\]models[/\\]mine/);
});

Deno.test("every command that opens the base exits 2 if its config.jsonc is wrong", async () => {
  using folder = new CliFolder();
  await folder.run(["init", "--db", "base"]);
  folder.write({ "base/config.jsonc": `{\n  "port": "80"\n}` });
  for (const command of ["status", "config", "serve"]) {
    const { code, err } = await folder.run([command, "--db", "base"]);
    assert.equal(code, 2);
    assert.match(
      err,
      /base\/config\.jsonc:2:11: "port" must be a whole number from 0 to 65535/,
    );
  }
});

Deno.test("kbdb serve exits 2 if a variable cannot be used, and shows no key", async () => {
  using folder = new CliFolder();
  const threshold = await folder.run(["serve", "--db", "base"], {
    env: { KB_SEARCH_THRESHOLD: "2" },
  });
  assert.equal(threshold.code, 2);
  assert.match(
    threshold.err,
    /KB_SEARCH_THRESHOLD: it is "2", must be a number from 0 to 1/,
  );
  const key = await folder.run(["serve", "--db", "base"], {
    env: { KB_API_KEY: "short" },
  });
  assert.equal(key.code, 2);
  assert.match(key.err, /key 1 of KB_API_KEY/);
  assert.doesNotMatch(key.err, /short/);
});

const FAULTS: readonly { rule: string; content: string; message: string }[] = [
  {
    rule: "a comma is missing",
    content: '{\n  "port": 1\n  "host": "::1"\n}',
    message: "c:3:3: comma expected",
  },
  {
    rule: "the text ends early",
    content: '{"port": 1',
    message: "c:1:11: close brace expected",
  },
  {
    rule: "a key is unknown",
    content: '{\r\n  // a note\r\n  "prot": 1 }',
    message: 'c:3:3: there is no setting "prot"; there are engineUrl, ',
  },
  {
    rule: "a value has the wrong type",
    content: '{ "readOnly": "yes" }',
    message: 'c:1:15: "readOnly" must be true or false',
  },
  {
    rule: "a key is there twice",
    content: '{ "port": 1, "port": 2 }',
    message: 'c:1:14: "port" is there twice',
  },
  {
    rule: "it is a list",
    content: "[]",
    message: "c:1:1: an object is expected",
  },
  {
    rule: "the base is named in it",
    content: '{ "base": "." }',
    message: 'c:1:3: there is no setting "base"',
  },
  {
    rule: "two things are wrong",
    content: '{ "port": -1,\n "host": "" }',
    message:
      'c:1:11: "port" must be a whole number from 0 to 65535\nc:2:10: "host" must be an address',
  },
];

for (const { rule, content, message } of FAULTS) {
  Deno.test(`parseConfig() says where if ${rule}`, () => {
    assert.throws(() => parseConfig("c", content), (error) => {
      assert.ok(error instanceof KbError);
      assert.equal(error.code, "invalid_input");
      assert.ok(
        error.message.startsWith(`Cannot use ${message}`),
        error.message,
      );
      return true;
    });
  });
}

Deno.test("parseConfig() takes a blank file, comments and a byte order mark", () => {
  assert.equal(parseConfig("c", "").size, 0);
  assert.equal(parseConfig("c", "// nothing yet\n").size, 0);
  assert.deepEqual(
    [...parseConfig("c", '\uFEFF{ "port": 1, /* x */ }')],
    [["port", 1]],
  );
});
