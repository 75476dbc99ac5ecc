import type { Bases } from "./bases.ts";
import { runProgram, runScript } from "./child.ts";
import { type CommandRun, reportCommand } from "./startup.ts";
import type { Report } from "./table.ts";
import { makeQueries } from "./text.ts";

const CLI = "cli.ts";

/** What to measure. */
export interface CliOptions {
  /** Chunks of the base. */
  readonly planned: number;
  /** Path of an executable to measure too, as `deno task compile` builds it. */
  readonly executable: string | undefined;
}

/** Measures whole processes of a search, with and without a daemon that has the model loaded. */
export async function benchCli(
  bases: Bases,
  report: Report,
  { planned, executable }: CliOptions,
): Promise<void> {
  const { dir, chunks } = await bases.generated(planned);
  const [query = ""] = makeQueries(bases.vocabulary, "content words", 1);
  const env = { KBDB_DIR: dir, KBDB_DAEMON: "true" };
  const programs: [string, (args: readonly string[]) => CommandRun][] = [
    ["kbdb", (args) => () => runScript(CLI, { args, env })],
  ];
  if (executable !== undefined) {
    programs.push([
      "executable",
      (args) => () => runProgram(executable, { args, env }),
    ]);
  }
  const words = query.split(" ");
  const part = "cli";
  for (const [name, toRun] of programs) {
    const stop = toRun(["daemon", "stop"]);
    const search = toRun(["search", ...words]);
    const say = (what: string) => `${name} search, ${what}, ${chunks} chunks`;
    await stop();
    try {
      await reportCommand(say("no daemon runs"), search, report, {
        part,
        before: stop,
      });
      await toRun(["daemon", "start"])();
      // The model is loaded by the first search, if not before.
      await search();
      await reportCommand(say("a daemon runs"), search, report, { part });
    } finally {
      await stop();
    }
    await reportCommand(
      say("by words, --no-daemon"),
      toRun(["--no-daemon", "search", "--fts-only", ...words]),
      report,
      { part },
    );
    await reportCommand(`${name} --help`, toRun(["--help"]), report, { part });
  }
}
