import { percentile } from "../measure.ts";
import type { Bases } from "./bases.ts";
import { type ChildEnd, runProgram, runScript } from "./child.ts";
import type { Report, Row } from "./table.ts";
import { makeQueries } from "./text.ts";

const RUNS = 10;
const CLI = "cli.ts";

/** What to measure. */
export interface StartupOptions {
  /** Chunks of the base. */
  readonly planned: number;
  /** Path of an executable to measure too, as `deno task compile` builds it. */
  readonly executable: string | undefined;
}

/** Measures whole processes of the command, from start to end. */
export async function benchStartup(
  bases: Bases,
  report: Report,
  { planned, executable }: StartupOptions,
): Promise<void> {
  const { dir, chunks } = await bases.generated(planned);
  const [query = ""] = makeQueries(bases.vocabulary, "content words", 1);
  const search = ["search", "--fts-only", ...query.split(" ")];
  const commands: readonly [string, readonly string[]][] = [
    ["--help", ["--help"]],
    ["--version", ["--version"]],
    [`search by words, ${chunks} chunks`, search],
  ];
  for (const [name, args] of commands) {
    const options = { args, env: { KBDB_DIR: dir } };
    await reportCommand(`kbdb ${name}`, () => runScript(CLI, options), report);
    if (executable === undefined) continue;
    await reportCommand(
      `executable ${name}`,
      () => runProgram(executable, options),
      report,
    );
  }
}

/** Runs a command to its end. */
export type CommandRun = () => Promise<ChildEnd>;

/** How to time a command. */
export interface CommandTiming {
  /** Part of the benchmark; default `startup`. */
  readonly part?: string;
  /** Run before each run, and not timed. */
  readonly before?: CommandRun;
}

/** Runs a command several times and reports the median, or why it failed. */
export async function reportCommand(
  name: string,
  run: CommandRun,
  report: Report,
  timing: CommandTiming = {},
): Promise<void> {
  const { part = "startup" } = timing;
  try {
    report({ part, ...await timeCommand(name, run, timing) });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    report({ part, measure: name, value: `failed: ${reason}` });
  }
}

async function timeCommand(
  name: string,
  run: CommandRun,
  { before }: CommandTiming,
): Promise<Omit<Row, "part">> {
  const times: number[] = [];
  for (let index = 0; index < RUNS; index++) {
    await before?.();
    times.push((await run()).ms);
  }
  return {
    measure: `${name}, of ${RUNS} runs`,
    value: percentile(times, 0.5),
    p95: percentile(times, 0.95),
    unit: "ms",
  };
}
