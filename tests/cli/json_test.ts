import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { listCommands, toFullName } from "../../lib/cli/declare/declaring.ts";
import { declaredProgram } from "../../scripts/docs/program.ts";
import { CliFolder } from "../helpers/run_cli.ts";
import { readShapes, toFault } from "../helpers/json_shape.ts";

const { answers, names } = readShapes(
  readFileSync(new URL("../../docs/cli.md", import.meta.url), "utf8"),
);

/** Commands that answer with no JSON, or need what a test has not: a network, a model of one's own. */
const OTHERS: ReadonlySet<string> = new Set([
  "kbdb mcp",
  "kbdb serve",
  "kbdb model pull",
  "kbdb model use",
  "kbdb model register",
]);

Deno.test("docs/cli.md says what every command answers as JSON", () => {
  const missing = listCommands(declaredProgram())
    .filter((command) =>
      command.commands.length === 0 || command.name() === "jobs" ||
      command.name() === "collections"
    )
    .map(toFullName)
    .filter((name) => !name.startsWith("kbdb help") && !OTHERS.has(name))
    .filter((name) => !answers.has(name));
  assert.deepEqual(missing, []);
});

/** A session with every command that needs neither a daemon nor the model. */
const SESSION: readonly (readonly [row: string, line: string])[] = [
  ["kbdb init", "init"],
  ["kbdb add", "add docs --no-embed"],
  ["kbdb sync", "sync docs --no-embed"],
  ["kbdb roots list", "roots"],
  ["kbdb addnote", "addnote --no-embed One"],
  ["kbdb history", "history 2"],
  ["kbdb history --diff", "history 2 --diff"],
  ["kbdb learn", "learn --no-embed --docid rules Tuesdays"],
  ["kbdb tag", "tag 1 --add x"],
  ["kbdb search", "search --fts-only --explain alpha"],
  ["kbdb search --stats", "search --stats alpha"],
  ["kbdb list", "list"],
  ["kbdb tags", "tags"],
  ["kbdb info", "info 1"],
  ["kbdb get", "get 1"],
  ["kbdb file", "file 1 -o copy.md"],
  ["kbdb extract", "extract docs/a.md"],
  ["kbdb content", "content rules"],
  ["kbdb jobs", "jobs"],
  ["kbdb jobs show", "jobs show 1"],
  ["kbdb skill add", "skill add s --description D --arg x=what Do_{{x}}"],
  ["kbdb skill list", "skill"],
  ["kbdb skill show", "skill show s"],
  ["kbdb skill render", "skill render s x=1"],
  ["kbdb agent create", "agent create a --description D --skills s Persona"],
  ["kbdb agent list", "agent"],
  ["kbdb agent show", "agent show a"],
  ["kbdb agent rm", "agent rm a --yes"],
  ["kbdb skill rm", "skill rm s --yes"],
  ["kbdb status", "status"],
  ["kbdb config", "config"],
  ["kbdb check", "check"],
  ["kbdb gc", "gc --dry-run"],
  ["kbdb rebuild", "rebuild --no-embed"],
  ["kbdb model list", "model"],
  ["kbdb model check", "model check"],
  ["kbdb doctor", "doctor"],
  ["kbdb backup", "backup saved"],
  ["kbdb restore", "restore saved --db other/.kbdb"],
  ["kbdb export", "export exported"],
  ["kbdb import", "import exported --no-embed --db third/.kbdb"],
  ["kbdb collections", "collections"],
  ["kbdb collections rename", "collections rename documents d"],
  ["kbdb key create", "key create k"],
  ["kbdb key list", "key"],
  ["kbdb key revoke", "key revoke k"],
  ["kbdb daemon status", "daemon"],
  ["kbdb daemon stop", "daemon stop"],
  ["kbdb guide", "guide"],
  ["kbdb examples", "examples list"],
  ["kbdb completions", "completions bash"],
  ["kbdb version", "version"],
  ["kbdb roots forget", "roots forget docs"],
  ["kbdb rm", "rm 1"],
  ["kbdb collections rm", "collections rm d --yes"],
];

Deno.test("commands answer as JSON with the fields that docs/cli.md names, no more and no fewer", async () => {
  using folder = new CliFolder();
  folder.write({ "docs/a.md": "# A\n\nAlpha beta.\n" });
  for (const [row, line] of SESSION) {
    const [command = "", ...args] = line.split(" ");
    const { code, out, err } = await folder.run([command, "--json", ...args], {
      env: { KB_MODEL: "" },
    });
    assert.ok(code === 0 || out !== "", `${line}: ${err}`);
    const shape = answers.get(row);
    assert.ok(shape !== undefined, `docs/cli.md has no JSON of ${row}`);
    assert.equal(toFault(JSON.parse(out), shape, names), undefined, line);
    if (line.startsWith("addnote")) {
      await folder.run(["updatenote", "2", "Two"]);
      await folder.run(["add", "-", "--name", "b.md", "--no-embed"], {
        input: "# B\n",
      });
    }
  }
});
