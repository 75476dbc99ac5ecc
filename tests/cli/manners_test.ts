import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  examplesOf,
  isListing,
  listCommands,
  toFullName,
} from "../../lib/cli/declare/declaring.ts";
import { declaredProgram } from "../../scripts/docs/program.ts";
import { CliFolder } from "../helpers/run_cli.ts";

const PROGRAM = declaredProgram();
const ACTING = listCommands(PROGRAM).filter((command) =>
  examplesOf(command).length > 0 || command.commands.length === 0
);

Deno.test("every command has examples, which begin with what it is and name options it has", () => {
  for (const command of ACTING) {
    const name = toFullName(command);
    const examples = examplesOf(command);
    assert.ok(
      examples.length > 0,
      `${name} has no examples; give it some with addExamples()`,
    );
    assert.ok(examples.some(([line]) => line.includes(name)), name);
    const known = [...PROGRAM.options, ...command.options].flatMap((
      { long, short },
    ) => [long, short]);
    for (const [line] of examples) {
      const rest = (line.replaceAll(/'[^']*'|"[^"]*"/g, "").split(name)[1] ??
        "").split(/[|<>]| -- /)[0] ?? "";
      for (const [, option] of rest.matchAll(/ (--?[a-z][a-z-]*)/g)) {
        assert.ok(known.includes(option), `${line}: ${option}`);
      }
    }
  }
});

Deno.test("Ctrl-C ends a command that waits for an answer, or for text, with exit code 130", async () => {
  using folder = new CliFolder();
  for (const note of ["One.", "Two."]) {
    await folder.run(["addnote", "--no-embed", note]);
  }
  for (const args of [["rm", "1", "2"], ["addnote", "-", "--no-embed"]]) {
    const { code, err } = await folder.run(args, {
      isTerminal: true,
      waits: true,
      signal: AbortSignal.timeout(50),
    });
    assert.equal(code, 130, args.join(" "));
    assert.match(err, /Stopped; nothing was changed\n$/);
  }
  const { out } = await folder.run(["list", "--json"]);
  assert.equal(JSON.parse(out).total, 2);
});

for (
  const { args, name } of [
    { args: ["skill"], name: "skill list" },
    { args: ["agent"], name: "agent list" },
    { args: ["key"], name: "key list" },
    { args: ["roots"], name: "roots list" },
    { args: ["model"], name: "model list" },
    { args: ["daemon"], name: "daemon status" },
  ]
) {
  Deno.test(`kbdb ${args[0]} does what kbdb ${name} does, and refuses a command it does not have`, async () => {
    using folder = new CliFolder();
    await folder.run(["init"]);
    const short = await folder.run([...args, "--json"]);
    assert.equal(short.code, 0, short.err);
    assert.deepEqual(short, await folder.run([...name.split(" "), "--json"]));
    const { code, err } = await folder.run([...args, "nothing"]);
    assert.equal(code, 2);
    assert.match(err, /has no command "nothing"; there are: /);
  });
}

Deno.test("kbdb help NAMES is the help of a command inside another too, and says if there is none", async () => {
  using folder = new CliFolder();
  const short = await folder.run(["help", "skill", "add"]);
  assert.deepEqual(short, await folder.run(["skill", "add", "--help"]));
  const none = await folder.run(["help", "skill", "nothing"]);
  assert.equal(none.code, 2);
  assert.match(none.err, /kbdb skill has no command "nothing"/);
});

Deno.test("kbdb says what the system refused and what to do, instead of calling it a bug", async () => {
  using folder = new CliFolder();
  folder.write({ "a.txt": "x" });
  const init = await folder.run(["init", "a.txt"]);
  assert.equal(init.code, 2);
  assert.match(init.err, /^kbdb: Cannot open the base ".*a\.txt.*ENOTDIR/);
  const full = Object.assign(new Error("No space left on device"), {
    code: "ENOSPC",
  });
  const version = await folder.run(["version"], {
    onOut: () => {
      throw full;
    },
  });
  assert.equal(version.code, 75);
  assert.equal(
    version.err,
    "kbdb: The system refused: No space left on device; free some space, then try again\n",
  );
});

Deno.test("kbdb COMMAND --help ends with examples", async () => {
  using folder = new CliFolder();
  for (const command of ACTING) {
    const names = toFullName(command).split(" ").slice(1);
    const { code, out } = await folder.run([...names, "--help"]);
    assert.equal(code, 0);
    assert.match(out, /\nExamples:\n {2}# .+\n {2}\S/, names.join(" "));
  }
});

for (
  const { rule, args, message } of [
    {
      rule: "an unknown command, with the nearest",
      args: ["serch", "x"],
      message: /unknown command 'serch'\n\(Did you mean search\?\)/,
    },
    {
      rule: "an unknown option, with the nearest",
      args: ["list", "--limt", "3"],
      message:
        /unknown option '--limt'\n\(Did you mean --limit\?\)\n\(see: kbdb list --help\)/,
    },
    {
      rule: "an unknown command inside another, with those there are",
      args: ["collections", "remove", "x"],
      message: /no command "remove"; there are: rename, rm/,
    },
    {
      rule: "a format that is none",
      args: ["list", "--format", "xml"],
      message: /Allowed choices are text, json, jsonl, csv, md/,
    },
    {
      rule: "rows of a command that has none",
      args: ["guide", "--format", "csv"],
      message: /kbdb guide answers as text or json only, not as csv/,
    },
    {
      rule: "a query that looks like an option, with a hint at --",
      args: ["search", "-foo"],
      message: /If "-foo" is text, put -- before it: kbdb search -- "-foo"/,
    },
    {
      rule: "a directory of the base that is blank",
      args: ["add", "x", "--db", ""],
      message: /--db needs the directory of a base/,
    },
    {
      rule: "a date that is none",
      args: ["list", "--after", "yesterday"],
      message: /Must be a date, such as 2026-01-31/,
    },
    {
      rule: "metadata without a value",
      args: ["list", "--meta", "author"],
      message: /"author" is not KEY=VALUE/,
    },
    {
      rule: "examples of a command that is none",
      args: ["examples", "nothing"],
      message: /has no command "nothing"/,
    },
    {
      rule: "completions of a shell it does not know",
      args: ["completions", "tcsh"],
      message: /Allowed choices are bash, zsh, fish, powershell/,
    },
  ]
) {
  Deno.test(`kbdb refuses ${rule}, with exit code 2`, async () => {
    using folder = new CliFolder();
    await folder.run(["init"]);
    const { code, out, err } = await folder.run(args);
    assert.equal(code, 2);
    assert.equal(out, "");
    assert.match(err, message);
  });
}

for (
  const { args, message } of [
    { args: ["serch", "--json"], message: /unknown command 'serch'/ },
    { args: ["list", "--limt=3", "--json"], message: /unknown option/ },
    {
      args: ["list", "--limit", "x", "--format=json"],
      message: /whole number/,
    },
    { args: ["collections", "drop", "--json"], message: /there are: rename/ },
  ]
) {
  Deno.test(`kbdb ${args.join(" ")} says what is wrong as one line of JSON`, async () => {
    using folder = new CliFolder();
    const { code, err } = await folder.run(args);
    assert.equal(code, 2);
    const { error } = JSON.parse(err);
    assert.equal(error.code, "invalid_input");
    assert.match(error.message, message);
  });
}

Deno.test("kbdb --help is grouped and says each command in a line or two", async () => {
  using folder = new CliFolder();
  const { out } = await folder.run(["--help"]);
  for (const title of ["Add and change", "Find and read", "Help"]) {
    assert.ok(out.includes(`\n${title}:\n`), title);
  }
  for (const command of PROGRAM.commands) {
    assert.ok(command.summary().length <= 110, command.name());
  }
});

Deno.test("kbdb embed that is stopped exits 130 and says what is kept", async () => {
  using folder = new CliFolder();
  await folder.run(["addnote", "--no-embed", "A note."]);
  for (
    const [command, kept] of [
      ["embed", /^kbdb: Stopped; texts and the vectors made so far are kept/],
      ["reindex", /^kbdb: Stopped; search goes on with the vectors that were/],
      ["rebuild", /^kbdb: Stopped; what is rebuilt is kept/],
      ["check", /^kbdb: Stopped; nothing was changed/],
    ] as const
  ) {
    const { code, err } = await folder.run([command], {
      signal: AbortSignal.abort(),
    });
    assert.equal(code, 130, `${command}: ${err}`);
    assert.match(err, kept);
  }
});

Deno.test("kbdb takes what follows -- as text", async () => {
  using folder = new CliFolder();
  await folder.run(["addnote", "--no-embed", "--", "-v", "is", "--verbose"]);
  assert.equal((await folder.run(["get", "1"])).out, "-v is --verbose\n");
  const { code } = await folder.run(["search", "--fts-only", "--", "--json"]);
  assert.equal(code, 0);
});

Deno.test("kbdb list writes every format, and notes to standard error only", async () => {
  using folder = new CliFolder();
  await folder.run(["addnote", "--no-embed", "--title", 'a "b", c', "One."]);
  await folder.run(["addnote", "--no-embed", "--tags", "x, y", "Two|."]);
  const list = async (...args: string[]) =>
    (await folder.run(["list", ...args])).out;
  const rows = (await list("--format", "jsonl")).trimEnd().split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual(rows.map(({ id }) => id), [2, 1]);
  assert.deepEqual(rows[0].tags, ["x", "y"]);
  const csv = await list("--format", "csv");
  assert.match(csv, /^id,docid,type,collection,tags,title,changed,/);
  assert.match(csv, /,"a ""b"", c",\d{4}-\d\d-\d\dT/);
  assert.match(csv, /,"x, y",/);
  assert.match(await list("--format", "md"), /^\| id \|.*\n\| ---: \|/);
  assert.equal(JSON.parse(await list("--json")).total, 2);
  const text = await folder.run(["list", "--limit", "1"]);
  assert.equal(text.out.split("\n").length, 2);
  assert.match(text.err, /1 of 2 documents; go on with --offset 1/);
});

Deno.test("kbdb list shows a header and ages on a terminal", async () => {
  using folder = new CliFolder();
  await folder.run(["addnote", "--no-embed", "One."]);
  const { out } = await folder.run(["list"], { isTerminal: true });
  assert.match(out, /ID.*TITLE.*CHANGED/);
  assert.match(out, /just now/);
});

Deno.test("kbdb list and search take the words of the kb client", async () => {
  using folder = new CliFolder();
  folder.write({ "a.md": "---\nauthor: Ada\n---\n# A\n\nRotate keys.\n" });
  await folder.run(["add", "a.md", "--no-embed", "--tags", "ops,keys"]);
  await folder.run([
    "addnote",
    "--no-embed",
    "--tags",
    "collection:memory,ops",
    "Keys in memory.",
  ]);
  const ids = async (...args: string[]) =>
    JSON.parse((await folder.run(["list", "--json", ...args])).out).documents
      .map(({ id }: { id: number }) => id);
  assert.deepEqual(await ids("--tags", "ops,keys"), [1]);
  assert.deepEqual(await ids("--tags", "collection:memory"), [2]);
  assert.deepEqual(await ids("--collection", "memory"), [2]);
  assert.deepEqual(await ids("--meta", "author=Ada"), [1]);
  assert.deepEqual(await ids("--path", "a.md"), [1]);
  assert.deepEqual(await ids("--top", "1", "--sort", "path"), [2]);
  assert.deepEqual(await ids("--before", "2001-01-01"), []);
  const { hits } = JSON.parse(
    (await folder.run([
      "search",
      "keys",
      "--top",
      "1",
      "--fts-only",
      "--json",
    ])).out,
  );
  assert.equal(hits.length, 1);
});

Deno.test("kbdb search writes hits as rows", async () => {
  using folder = new CliFolder();
  await folder.run(["addnote", "--no-embed", "The key hangs here."]);
  const args = ["search", "key", "--fts-only", "--format"];
  const [hit] = (await folder.run([...args, "jsonl"])).out.trim().split("\n")
    .map((line) => JSON.parse(line));
  assert.equal(hit.rank, 1);
  assert.match((await folder.run([...args, "csv"])).out, /^rank,score,/);
  const none = await folder.run(["search", "absent", "--fts-only"]);
  assert.equal(none.out, "");
  assert.match(none.err, /Nothing was found/);
});

Deno.test("kbdb search marks terms and links paths on a terminal, and never in a pipe", async () => {
  using folder = new CliFolder();
  folder.write({ "a.md": "# A\n\nRotate the keys.\n" });
  await folder.run(["add", "a.md", "--no-embed"]);
  const args = ["search", "keys", "--fts-only"];
  const seen = await folder.run(args, { isTerminal: true });
  assert.ok(seen.out.includes("\x1b]8;;file:///"));
  assert.ok(seen.out.includes("\x1b[1;33mkeys\x1b[0m"));
  const plain = await folder.run(args);
  assert.ok(!plain.out.includes("\x1b"));
});

Deno.test("kbdb --version says what is inside, before anything else", async () => {
  using folder = new CliFolder();
  for (const args of [["--version"], ["-V"], ["list", "--version"]]) {
    const { code, out } = await folder.run(args);
    assert.equal(code, 0);
    assert.match(out, /^kbdb +\d+\.\d+\.\d+\nruntime +(Deno|Node) \d/);
  }
  const facts = JSON.parse((await folder.run(["--version", "--json"])).out);
  assert.match(facts.model, /bge/);
});

Deno.test("kbdb examples shows those of every command, or of one", async () => {
  using folder = new CliFolder();
  const all = (await folder.run(["examples"])).out;
  for (const command of ACTING) assert.ok(all.includes(toFullName(command)));
  const one = (await folder.run(["examples", "jobs", "--json"])).out;
  assert.ok(
    JSON.parse(one).every(({ command }: { command: string }) =>
      command.startsWith("kbdb jobs")
    ),
  );
});

const CHECKERS = [
  { shell: "bash", check: ["bash", "-n"] },
  { shell: "zsh", check: ["zsh", "-n"] },
  { shell: "fish", check: ["fish", "--no-execute"] },
] as const;

for (const { shell, check } of CHECKERS) {
  const isThere = spawnSync(shell, ["-c", "true"]).status === 0;
  Deno.test({
    name: `kbdb completions ${shell} can be read by ${shell}`,
    ignore: !isThere,
    async fn() {
      using folder = new CliFolder();
      const { out } = await folder.run(["completions", shell]);
      const { status, stderr } = spawnSync(check[0], [check[1], "/dev/stdin"], {
        input: out,
        encoding: "utf8",
      });
      assert.equal(status, 0, stderr);
    },
  });
}

Deno.test("kbdb completions name every command, option and choice for each shell", async () => {
  using folder = new CliFolder();
  for (const shell of ["bash", "zsh", "fish", "powershell"]) {
    const { out } = await folder.run(["completions", shell]);
    for (const command of listCommands(PROGRAM)) {
      assert.ok(out.includes(command.name()), `${shell}: ${command.name()}`);
      for (const { long, argChoices = [] } of command.options) {
        const flag = shell === "fish" ? `-l ${long?.slice(2)}` : `${long}`;
        assert.ok(out.includes(flag), `${shell}: ${flag}`);
        for (const choice of argChoices) assert.ok(out.includes(choice));
      }
    }
  }
});

for (
  const { words, wanted } of [
    { words: ["kbdb", "sea"], wanted: ["search"] },
    { words: ["kbdb", "key", "re"], wanted: ["revoke"] },
    { words: ["kbdb", "list", "--sort", "t"], wanted: ["title"] },
    { words: ["kbdb", "list", "--sor"], wanted: ["--sort"] },
    { words: ["kbdb", "--format", "js"], wanted: ["json", "jsonl"] },
    { words: ["kbdb", "completions", "z"], wanted: ["zsh"] },
    { words: ["kbdb", "add", "--tag", ""], wanted: [] },
  ]
) {
  Deno.test(`bash completes "${words.join(" ")}" to ${wanted.join(", ") || "files"}`, async () => {
    using folder = new CliFolder();
    const { out } = await folder.run(["completions", "bash"]);
    const quoted = words.map((word) => `'${word}'`).join(" ");
    const { stdout } = spawnSync("bash", [
      "-c",
      [
        out,
        `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _kbdb`,
        'printf "%s\\n" "${COMPREPLY[@]}"',
      ].join("\n"),
    ], { encoding: "utf8" });
    assert.deepEqual(
      stdout.trim().split("\n").filter((line) => line !== ""),
      wanted,
    );
  });
}

Deno.test({
  name: "fish completes commands, options and choices",
  ignore: spawnSync("fish", ["-c", "true"]).status !== 0,
  async fn() {
    using folder = new CliFolder();
    const { out } = await folder.run(["completions", "fish"]);
    folder.write({ "kbdb.fish": out });
    for (
      const [line, wanted] of [
        ["kbdb sea", "search"],
        ["kbdb key re", "revoke"],
        ["kbdb list --sort t", "title"],
        ["kbdb --format jsonl", "jsonl"],
      ] as const
    ) {
      const { stdout, stderr } = spawnSync("fish", [
        "--no-config",
        "-c",
        `source kbdb.fish; complete -C '${line}'`,
      ], { cwd: folder.cwd, encoding: "utf8" });
      assert.equal(stderr, "");
      assert.ok(stdout.startsWith(wanted), `${line}: ${stdout}`);
    }
  },
});

Deno.test("kbdb writes rows only where the answer has some", () => {
  const listings = ACTING.filter(isListing).map(toFullName);
  for (const name of ["kbdb list", "kbdb search", "kbdb jobs", "kbdb tags"]) {
    assert.ok(listings.includes(name), name);
  }
});
