import assert from "node:assert/strict";
import { join } from "node:path";
import { KbError } from "../../lib/core/mod.ts";
import { EXIT_CODES } from "../../lib/cli/exit_codes.ts";
import { STATUSES } from "../../lib/http/errors.ts";
import { type Engine, openKb } from "../../lib/kb/mod.ts";
import { openToolSet } from "../../lib/mcp/tool_sets.ts";
import { fakeEmbedder } from "../helpers/fake_embedder.ts";
import { startServer, type TestServer } from "../helpers/http.ts";
import { callTool, connectMcp } from "../helpers/mcp.ts";
import { startRemote } from "../helpers/remote.ts";
import { CliFolder } from "../helpers/run_cli.ts";
import { openTempKb } from "../helpers/temp_kb.ts";

// deno-lint-ignore no-explicit-any -- rows look into answers of every shape
export type Json = any;

/** An operation by each front end; a text says why one does not have it. */
export interface Row {
  /** What holds, as a sentence. */
  readonly rule: string;
  /** By the facade, in process or over HTTP. */
  readonly engine: (kb: Engine) => unknown;
  /** By REST: what is to be compared of the answer. */
  readonly rest: string | ((call: TestServer) => Promise<Json>);
  /** By a tool: name, arguments, what is to be compared of its JSON. */
  readonly mcp:
    | string
    | readonly [string, Record<string, unknown>, ((json: Json) => unknown)?];
  /** By the command: arguments, what is to be compared of its JSON. */
  readonly cli:
    | string
    | readonly [readonly string[], ((json: Json) => unknown)?];
  /** What all of them answer; or the code that all of them fail with. */
  readonly expected: { readonly value: unknown } | {
    readonly fails: KbError["code"];
    /** Status of REST where it is more particular than the code. */
    readonly status?: number;
  };
}

/** Puts the same things into every base. */
export async function fill(kb: Engine): Promise<void> {
  await kb.addNote("The spare key hangs behind the boiler.", {
    docid: "keys",
    title: "Keys",
    tags: ["home"],
  });
  await kb.addNote("The meeting moved to Tuesday.", {
    docid: "meeting",
    title: "Meeting",
    collection: "memory",
  });
  await kb.learn("The valve sticks in winter.", {
    docid: "manual",
    title: "Valve",
  });
  await kb.updateNote("meeting", "The meeting moved to Friday.");
}

/** Runs a row by the facade in process. */
export async function byFacade(row: Row): Promise<void> {
  await using temp = openTempKb();
  await fill(temp.kb);
  await compare(row, () => row.engine(temp.kb));
}

/** Runs a row by the facade over HTTP. */
export async function byClient(row: Row): Promise<void> {
  await using remote = await startRemote();
  await fill(remote.engine);
  await compare(row, () => row.engine(remote.engine));
}

/** Runs a row by REST. */
export async function byRest({ rest, expected }: Row): Promise<void> {
  if (typeof rest === "string") return;
  await using server = await startServer();
  await fill(server.kb);
  const answer = await rest(server);
  if ("value" in expected) assert.deepEqual(answer, expected.value);
  else {
    assert.equal(answer.status, expected.status ?? STATUSES[expected.fails]);
    assert.equal(answer.json.error.code, expected.fails);
  }
}

/** Runs a row by a tool. */
export async function byMcp({ mcp, expected }: Row): Promise<void> {
  if (typeof mcp === "string") return;
  const [name, args, pick = (json: Json) => json] = mcp;
  await using temp = openTempKb();
  await fill(temp.kb);
  await using set = openToolSet(temp.kb, "all");
  await using server = await connectMcp(temp.kb, "2025-11-25", {
    extras: { tools: set.tools },
  });
  const { text, isError } = await callTool(server.client, name, args);
  if ("value" in expected) {
    assert.ok(!isError, text);
    assert.deepEqual(pick(JSON.parse(text)), expected.value);
  } else {
    assert.ok(isError);
    assert.ok(!text.includes("internal error"), text);
  }
}

/** Runs a row by the command. */
export async function byCli({ cli, expected }: Row): Promise<void> {
  if (typeof cli === "string") return;
  const [args, pick = (json: Json) => json] = cli;
  using folder = new CliFolder();
  {
    await using kb = openKb({
      dir: join(folder.cwd, ".kbdb"),
      embedder: fakeEmbedder(),
    });
    await fill(kb);
  }
  const { code, out, err } = await folder.run(["--format", "json", ...args], {
    env: { KB_MODEL: "/no/such/model" },
  });
  if ("value" in expected) {
    assert.equal(code, 0, err);
    assert.deepEqual(pick(JSON.parse(out)), expected.value);
  } else {
    assert.equal(code, EXIT_CODES[expected.fails], err);
    assert.equal(JSON.parse(err).error.code, expected.fails);
  }
}

async function compare(
  { expected }: Row,
  run: () => unknown,
): Promise<void> {
  if ("value" in expected) assert.deepEqual(await run(), expected.value);
  else {
    await assert.rejects(async () => await run(), (error: unknown) => {
      assert.ok(error instanceof KbError, String(error));
      assert.equal(error.code, expected.fails);
      return true;
    });
  }
}
