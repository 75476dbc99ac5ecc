import { type Command, InvalidArgumentError, Option } from "commander";
import { LIMITS } from "../../core/mod.ts";
import { addExamples, type Declaring, markListing } from "./declaring.ts";
import { countOption } from "./options.ts";

/** Declares the commands on the queue of what is to be taken in. */
export function declareJobs({ program, io, done }: Declaring): void {
  const jobs = program.command("jobs")
    .description("list what was queued to be taken in, newest first")
    .addOption(
      new Option("--status <status>", "only jobs of this status").choices([
        "queued",
        "processing",
        "done",
        "failed",
        "skipped",
        "cancelled",
      ]),
    )
    .addOption(
      countOption("-n, --limit <count>", "most jobs", {
        min: 1,
        max: LIMITS.jobs,
      }).default(50),
    )
    .addOption(
      countOption("--offset <count>", "jobs to pass over", { min: 0 })
        .default(0),
    )
    .option("--wait", "work on the queue and end when nothing waits")
    .addOption(
      new Option(
        "--follow",
        "show each job as it begins and ends, until you stop it",
      ).conflicts("wait"),
    )
    .action(async (_: unknown, command: Command) => {
      const { list } = await import("../commands/jobs.ts");
      done(await list(io, command.optsWithGlobals()));
    });
  addExamples(
    markListing(jobs),
    ["kbdb jobs", "the last ones"],
    ["kbdb jobs --status failed", "what went wrong"],
    ["kbdb jobs --wait", "until all is taken in"],
  );
  const show = jobs.command("show")
    .argument("<id>", "job", toId)
    .description("show what is known of a job")
    .action(async (id: number, _: unknown, command: Command) => {
      const { show } = await import("../commands/jobs.ts");
      done(await show(io, id, command.optsWithGlobals()));
    });
  addExamples(markListing(show), ["kbdb jobs show 7", "why it failed"]);
  const cancel = jobs.command("cancel")
    .argument("<id>", "job", toId)
    .description("cancel a job that is not over; it stores nothing")
    .action(async (id: number, _: unknown, command: Command) => {
      const { cancel } = await import("../commands/jobs.ts");
      done(await cancel(io, id, command.optsWithGlobals()));
    });
  addExamples(markListing(cancel), ["kbdb jobs cancel 7", "before it is over"]);
  const retry = jobs.command("retry")
    .argument("<id>", "job", toId)
    .description("queue a job again that failed or was cancelled")
    .action(async (id: number, _: unknown, command: Command) => {
      const { retry } = await import("../commands/jobs.ts");
      done(await retry(io, id, command.optsWithGlobals()));
    });
  addExamples(markListing(retry), ["kbdb jobs retry 7", "once more"]);
}

function toId(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Must be the number of a job (kbdb jobs).");
}
