import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { KBDB_TOOLS } from "../../lib/mcp/tools/mod.ts";
import { CliFolder } from "../helpers/run_cli.ts";

const SKILL = readFileSync(
  new URL("../../SKILL.md", import.meta.url),
  "utf8",
);

/** Words the guide writes as code that name neither a tool nor a parameter or field of one. */
const OTHER_WORDS = [
  "heading",
  "matched_terms",
  "snippet",
  "degraded",
  "no_vectors",
  "vectors_pending",
  "notes",
  "pending_vectors",
  "memory",
  "memory-project-x",
];

Deno.test("kbdb guide prints SKILL.md and needs no base", async () => {
  using folder = new CliFolder();
  const { code, out, err } = await folder.run(["guide"]);
  assert.deepEqual({ code, err }, { code: 0, err: "" });
  assert.equal(out, SKILL);
  const json = await folder.run(["guide", "--format", "json"]);
  assert.deepEqual(JSON.parse(json.out), { guide: SKILL });
});

Deno.test("kbdb guide --help shows an example", async () => {
  using folder = new CliFolder();
  const { code, out } = await folder.run(["guide", "--help"]);
  assert.equal(code, 0);
  assert.match(out, /Examples:\n {2}# .*\n {2}kbdb guide\n/);
});

Deno.test("SKILL.md has a name and a description and is short", () => {
  assert.match(SKILL, /^---\nname: kbdb\ndescription: \S.{50,1000}\n---\n/);
  assert.ok(SKILL.split("\n").length <= 121);
});

Deno.test("SKILL.md names every tool and none that is not there", () => {
  const tools = KBDB_TOOLS.map(({ name }) => name);
  const parameters = KBDB_TOOLS.flatMap((tool) =>
    Object.keys(tool.describe().inputSchema.properties ?? {})
  );
  const named = [...SKILL.matchAll(/`([a-z]+(?:[-_][a-z]+)*)`/g)]
    .map(([, name = ""]) => name);
  assert.deepEqual(tools.filter((name) => !named.includes(name)), []);
  const known = new Set([...tools, ...parameters, ...OTHER_WORDS]);
  assert.deepEqual(named.filter((name) => !known.has(name)), []);
});
