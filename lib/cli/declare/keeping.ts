import type { Command } from "commander";
import type { CliIo } from "../io.ts";

/**
 * Declares the commands that keep a base safe.
 *
 * @param version Version of kbdb, for manifests.
 */
export function declareKeeping(
  program: Command,
  io: CliIo,
  done: (code: number) => void,
  version: string,
): void {
  program.command("backup <target>")
    .description(
      "save the base to a new folder and check what was written; others may go on writing meanwhile",
    )
    .action(async (target: string, _: unknown, command: Command) => {
      const { backup } = await import("../commands/backup.ts");
      done(await backup(io, target, version, command.optsWithGlobals()));
    });
  program.command("restore <backup>")
    .description(
      "make a base of a backup; a damaged one is refused and says what is wrong",
    )
    .option("--replace", "put the base that is there aside")
    .option("-y, --yes", "do not ask")
    .action(async (backup: string, _: unknown, command: Command) => {
      const { restore } = await import("../commands/backup.ts");
      done(await restore(io, backup, command.optsWithGlobals()));
    });
}
