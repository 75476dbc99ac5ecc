import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { CliFolder } from "../helpers/run_cli.ts";
import { openKb } from "../../lib/kb/mod.ts";
import { join } from "node:path";

/** Learns a text that stands alone and answers its kbid. */
async function learn(folder: CliFolder, ...args: string[]): Promise<string> {
  const { out, err } = await folder.run([
    "learn",
    "--no-embed",
    "--json",
    ...args,
  ]);
  assert.equal(err.replace(/^Made.*\n/, ""), "");
  return JSON.parse(out).kbid;
}

Deno.test("kbdb learn keeps a section that recall and content show", async () => {
  using folder = new CliFolder();
  const kbid = await learn(
    folder,
    "Deploys are on Tuesdays.",
    "--docid",
    "rules",
    "--tags",
    "team",
  );
  const recalled = await folder.run(["recall", kbid, "--depth", "1"]);
  assert.equal(recalled.code, 0);
  assert.match(recalled.out, /in rules\n\nDeploys are on Tuesdays\./);
  assert.match(
    (await folder.run(["content", "rules"])).out,
    /Deploys are on Tuesdays/,
  );
  const again = await folder.run(["learn", "Deploys are on Tuesdays."]);
  assert.match(again.out, /is known already/);
});

Deno.test("kbdb content and recall exit 4 for what is not there, and show the rest", async () => {
  using folder = new CliFolder();
  const kbid = await learn(folder, "One.");
  const content = await folder.run(["content", kbid, "absent"]);
  assert.equal(content.code, 4);
  assert.match(content.out, /One\./);
  assert.match(content.err, /nothing in the base is named "absent"/);
  const gone = "0".repeat(26);
  const recall = await folder.run(["recall", gone, "--json"]);
  assert.equal(recall.code, 4);
  assert.deepEqual(JSON.parse(recall.out).unknownKbids, [gone]);
});

for (
  const { rule, args, code, message } of [
    {
      rule: "a text and a file",
      args: ["learn", "x", "--file", "a.md"],
      code: 2,
      message: /not both/,
    },
    {
      rule: "a file of no known type",
      args: ["learn", "--file", "a.xyz"],
      code: 2,
      message: /name it with --type/,
    },
    {
      rule: "a file that is not there",
      args: ["learn", "--file", "absent.md"],
      code: 4,
      message: /Cannot read/,
    },
    {
      rule: "an image without a title",
      args: ["learn", "--file", "x.png"],
      code: 2,
      message: /title/,
    },
    {
      rule: "unlearning what is not there",
      args: ["unlearn", "0".repeat(26), "--yes"],
      code: 4,
      message: /0000/,
    },
    {
      rule: "a skill that is not there",
      args: ["skill", "show", "absent"],
      code: 4,
      message: /absent/,
    },
    {
      rule: "a skill whose name is none",
      args: ["skill", "add", "No Name", "x", "--description", "y"],
      code: 2,
      message: /kebab/,
    },
    {
      rule: "an agent that is not there",
      args: ["agent", "rm", "absent", "--yes"],
      code: 4,
      message: /kbdb agent list/,
    },
    {
      rule: "an agent with a skill that is not there",
      args: [
        "agent",
        "create",
        "a",
        "b",
        "--description",
        "c",
        "--skill",
        "no",
      ],
      code: 4,
      message: /no/,
    },
    {
      rule: "a job that is not there",
      args: ["jobs", "show", "7"],
      code: 4,
      message: /7/,
    },
    {
      rule: "a job that is no number",
      args: ["jobs", "cancel", "x"],
      code: 2,
      message: /Must be the number of a job/,
    },
    {
      rule: "a table without end",
      args: ["jobs", "--follow", "--format", "csv"],
      code: 2,
      message: /use --format jsonl/,
    },
  ]
) {
  Deno.test(`kbdb exits ${code} for ${rule}`, async () => {
    using folder = new CliFolder();
    folder.write({ "a.md": "x", "a.xyz": "x", "x.png": Uint8Array.of(1) });
    await folder.run(["init"]);
    const result = await folder.run(args);
    assert.equal(result.code, code, result.err);
    assert.match(result.err, message);
  });
}

Deno.test("kbdb unlearn and gc ask first, and need --yes in a script", async () => {
  using folder = new CliFolder();
  const kept = await learn(folder, "Kept.", "--docid", "kept");
  const alone = await learn(folder, "Alone.");
  const dry = await folder.run(["gc", "--dry-run"]);
  assert.match(dry.out, new RegExp(`Would remove ${alone}`));
  assert.match(dry.err, /1 section, .*; nothing was removed/);
  const refused = await folder.run(["gc"]);
  assert.equal(refused.code, 2);
  assert.match(refused.err, new RegExp(`${alone}[\\s\\S]*say --yes`));
  assert.equal((await folder.run(["gc", "--yes"])).code, 0);
  assert.match(
    (await folder.run(["gc"])).err,
    /Every section belongs to a document/,
  );
  assert.equal((await folder.run(["unlearn", kept])).code, 2);
  const removed = await folder.run(["unlearn", kept, "--yes"]);
  assert.equal(removed.out, `Removed ${kept}\n`);
});

Deno.test("kbdb check says that all is well, or names faults, with exit code 65 if the base is damaged", async () => {
  using folder = new CliFolder();
  await folder.run(["init"]);
  folder.write({ "a.md": "# A\n\nSee [B](b.md).\n", "b.md": "# B\n" });
  await folder.run(["add", "a.md", "b.md", "--no-embed"]);
  const well = await folder.run(["check"]);
  assert.equal(well.code, 0, well.out);
  assert.match(well.out, /^All is well: 2 documents, 2 sections/);
  await learn(folder, "See [[Nowhere at all]].", "--docid", "lost");
  const ill = await folder.run(["check", "--format", "jsonl"]);
  // A link that leads nowhere is no damage.
  assert.equal(ill.code, 0);
  const typeOf = ({ out }: { out: string }) =>
    JSON.parse(out.split("\n")[0] ?? "").type;
  assert.equal(typeOf(ill), "broken_reference");
  using db = new DatabaseSync(join(folder.cwd, ".kbdb", "kb.db"));
  db.exec("DELETE FROM chunks_fts WHERE rowid = 1");
  const damaged = await folder.run(["check", "--format", "jsonl"]);
  assert.equal(damaged.code, 65);
  assert.equal(typeOf(damaged), "index_mismatch");
});

Deno.test("kbdb rebuild makes anew what is derived and loses nothing", async () => {
  using folder = new CliFolder();
  await folder.run(["addnote", "--no-embed", "A note that stays."]);
  const { code, out } = await folder.run(["rebuild", "--no-embed"]);
  assert.equal(code, 0);
  assert.match(out, /^Rebuilt 1 section, \d+ distinct words\n1 chunk without/);
  const { hits } = JSON.parse(
    (await folder.run(["search", "stays", "--fts-only", "--json"])).out,
  );
  assert.equal(hits.length, 1);
});

Deno.test("kbdb reindex exits 69 if the model cannot be had, and keeps what is there", async () => {
  using folder = new CliFolder();
  await folder.run(["addnote", "--no-embed", "A note."]);
  const { code, out } = await folder.run(["reindex"], {
    env: { KB_MODEL: "no-such-model" },
  });
  assert.equal(code, 69);
  assert.match(out, /No vectors were made/);
});

Deno.test("kbdb skill keeps, shows, fills and removes a template", async () => {
  using folder = new CliFolder();
  const added = await folder.run([
    "skill",
    "add",
    "review",
    "Review {{file}} for {{focus}}",
    "--description",
    "Reviews",
    "--arg",
    "focus?=what to look at",
  ]);
  assert.match(added.out, /^Kept the skill review as /);
  assert.match((await folder.run(["skill", "list"])).out, /review .*Reviews/);
  assert.match(
    (await folder.run(["skill", "show", "review"])).out,
    /focus {2}\(optional\) what to look at/,
  );
  const render = (...values: string[]) =>
    folder.run(["skill", "render", "review", ...values]);
  assert.equal(
    (await render("file=a=b.ts", "focus={{file}}")).out,
    "Review a=b.ts for {{file}}\n",
  );
  const missing = await render("focus=x");
  assert.equal(missing.code, 2);
  assert.match(missing.err, /needs file=…/);
  const unknown = await render("file=a", "fokus=x");
  assert.equal(unknown.code, 2);
  assert.match(
    unknown.err,
    /no placeholder fokus; it has: file, focus|focus, file/,
  );
  assert.equal((await folder.run(["skill", "rm", "review"])).code, 2);
  assert.equal((await folder.run(["skill", "rm", "review", "--yes"])).code, 0);
  assert.match((await folder.run(["skill", "list"])).err, /no skills yet/);
});

Deno.test("kbdb agent keeps, shows and removes a persona with skills", async () => {
  using folder = new CliFolder();
  await folder.run(["skill", "add", "plan", "Do {{it}}", "--description", "d"]);
  const made = await folder.run(
    [
      "agent",
      "create",
      "helper",
      "-",
      "--description",
      "Helps",
      "--skills",
      "plan",
    ],
    { input: "You help." },
  );
  assert.match(made.out, /^Kept the agent helper as /);
  const shown = (await folder.run(["agent", "show", "helper"])).out;
  assert.match(shown, /Helps\n {2}plan .*\n\nYou help\./);
  assert.match((await folder.run(["agent", "list"])).out, /helper .*plan/);
  assert.equal((await folder.run(["agent", "rm", "helper", "--yes"])).code, 0);
});

Deno.test("kbdb jobs lists, cancels, retries, waits and shows", async () => {
  using folder = new CliFolder();
  await folder.run(["init"]);
  {
    await using kb = openKb({ dir: join(folder.cwd, ".kbdb") });
    kb.jobs.submitNote("A queued note.");
    kb.jobs.submitNote("Another queued note.", { title: "Second" });
  }
  const list = async (...args: string[]) =>
    JSON.parse((await folder.run(["jobs", "--json", ...args])).out);
  assert.equal((await list()).total, 2);
  assert.match((await folder.run(["jobs", "cancel", "1"])).out, /cancelled/);
  assert.equal((await list("--status", "cancelled")).total, 1);
  assert.equal((await folder.run(["jobs", "cancel", "1"])).code, 5);
  assert.match((await folder.run(["jobs", "retry", "1"])).err, /--wait/);
  const waited = await folder.run(["jobs", "--wait"]);
  assert.equal(waited.code, 0);
  assert.match(waited.out, /done .*Second/);
  assert.equal((await list("--status", "done")).total, 2);
  const job = JSON.parse(
    (await folder.run(["jobs", "show", "2", "--json"])).out,
  );
  assert.equal(job.status, "done");
  const csv = await folder.run(["jobs", "--format", "csv"]);
  assert.match(csv.out, /^id,status,kind,name,document,attempts,state,created/);
});

Deno.test("kbdb jobs --follow shows what is there and ends when it is stopped", async () => {
  using folder = new CliFolder();
  await folder.run(["init"]);
  {
    await using kb = openKb({ dir: join(folder.cwd, ".kbdb") });
    kb.jobs.submitNote("A queued note.", { title: "Seen" });
  }
  const stopping = new AbortController();
  const following = folder.run(["jobs", "--follow"], {
    signal: stopping.signal,
    onOut: () => stopping.abort(),
  });
  assert.match((await following).out, /^1 {2}queued {2}Seen\n/);
});
