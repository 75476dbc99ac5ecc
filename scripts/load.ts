/**
 * `kbdb serve` under load, from outside: searches, connections, an upload, updates.
 *
 * `deno task load [--chunks N] [--seconds S] [--format json]` makes a base of generated text, starts
 * the server on it in a process of its own on a loopback port, and prints one table. Ends with 1 if a
 * budget is missed. Memory is that of the server, where the system tells of other processes.
 *
 * @module
 */
import process from "node:process";
import { parseArgs } from "node:util";
import { Bases, putModelVectors } from "./bench/bases.ts";
import { reportRows, writeLine } from "./bench/report.ts";
import { makeQueries } from "./bench/text.ts";
import { loadConnections } from "./load/connections.ts";
import { Goals } from "./load/goals.ts";
import { loadNotes } from "./load/notes.ts";
import { loadSearch } from "./load/search.ts";
import { ServeProcess } from "./load/server.ts";
import { loadUpload } from "./load/upload.ts";

const CHUNKS = 100_000;
const SECONDS = 120;
/** So many that few are asked twice in a run. */
const QUERIES = 10_000;

interface Options {
  readonly chunks: number;
  readonly seconds: number;
  readonly json: boolean;
}

/** Reads the options; `undefined` if they cannot be understood. */
function readOptions(): Options | undefined {
  try {
    const { values } = parseArgs({
      options: {
        chunks: { type: "string", default: String(CHUNKS) },
        seconds: { type: "string", default: String(SECONDS) },
        format: { type: "string", default: "text" },
      },
    });
    const { format } = values;
    const chunks = Number(values.chunks);
    const seconds = Number(values.seconds);
    if (!Number.isInteger(chunks) || chunks < 1 || !(seconds > 0)) return;
    if (format !== "text" && format !== "json") return;
    return { chunks, seconds, json: format === "json" };
  } catch {
    return undefined;
  }
}

async function runParts(
  dir: string,
  goals: Goals,
  { chunks, seconds }: Options,
): Promise<void> {
  const bases = new Bases(dir);
  const base = await bases.generated(chunks);
  putModelVectors(base.dir, base.vectors);
  goals.report({
    part: "base",
    measure: `${base.chunks} chunks: making the base`,
    value: base.buildMs / 1000,
    unit: "s",
  });
  const texts = makeQueries(bases.vocabulary, "content words", QUERIES);
  await using server = await ServeProcess.start(base.dir);
  await loadSearch(server, goals, { texts, seconds });
  await loadConnections(server, goals, texts);
  await loadUpload(server, goals);
  await loadNotes(server, goals);
}

async function main(): Promise<void> {
  const options = readOptions();
  if (options === undefined) {
    process.stderr.write(
      "Usage: deno task load [--chunks N] [--seconds S] [--format text|json]\n",
    );
    process.exitCode = 2;
    return;
  }
  let missed: readonly string[] = [];
  const measured = await reportRows(
    "kbdb-load",
    options.json,
    async (dir, report) => {
      const goals = new Goals(report);
      await runParts(dir, goals, options);
      missed = goals.missed;
    },
  );
  if (options.json) {
    writeLine(JSON.stringify({ ...measured, missed }));
  } else {
    writeLine(
      missed.length === 0
        ? "Every budget is kept"
        : `Missed: ${missed.join("; ")}`,
    );
  }
  if (missed.length > 0) process.exitCode = 1;
}

if (import.meta.main) await main();
