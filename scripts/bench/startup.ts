import { existsSync } from "node:fs";
import { join } from "node:path";
import { percentile } from "../measure.ts";
import type { Bases } from "./bases.ts";
import { ROOT, runScript } from "./child.ts";
import type { Report, Row } from "./table.ts";
import { makeQueries } from "./text.ts";

const RUNS = 10;
const CLI = "cli.ts";

/** Measures whole processes of the command, from start to end. */
export async function benchStartup(
  bases: Bases,
  report: Report,
  planned: number,
): Promise<void> {
  const part = "startup";
  if (!existsSync(join(ROOT, CLI))) {
    report({ part, measure: CLI, value: "not there, skipped" });
    return;
  }
  const { dir, chunks } = await bases.generated(planned);
  const [query = ""] = makeQueries(bases.vocabulary, "content words", 1);
  const commands: readonly [string, readonly string[]][] = [
    ["--help", ["--help"]],
    [
      `search by words, ${chunks} chunks`,
      ["search", "--fts-only", ...query.split(" ")],
    ],
  ];
  for (const [name, args] of commands) {
    try {
      report(await timeCommand(name, args, dir));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      report({ part, measure: name, value: `failed: ${reason}` });
    }
  }
}

async function timeCommand(
  name: string,
  args: readonly string[],
  dir: string,
): Promise<Row> {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    times.push((await runScript(CLI, { args, env: { KBDB_DIR: dir } })).ms);
  }
  return {
    part: "startup",
    measure: `kbdb ${name}, of ${RUNS} runs`,
    value: percentile(times, 0.5),
    p95: percentile(times, 0.95),
    unit: "ms",
  };
}
