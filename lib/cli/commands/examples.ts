import type { Command } from "commander";
import {
  examplesOf,
  findCommand,
  listCommands,
  toExampleLines,
  toFullName,
} from "../declare/declaring.ts";
import type { CliIo, GlobalOptions } from "../io.ts";
import { writeListing } from "../output/write.ts";

/** Prints examples of every command, or of one and those inside it. */
export async function examples(
  io: CliIo,
  program: Command,
  name: string | undefined,
  options: GlobalOptions,
): Promise<number> {
  const chosen = name === undefined ? program : findCommand(program, [name]);
  const commands = name === undefined
    ? listCommands(chosen)
    : [chosen, ...listCommands(chosen)];
  const rows = commands.flatMap((command) =>
    examplesOf(command).map(([line, what]) => ({
      command: toFullName(command),
      line,
      what,
    }))
  );
  await writeListing(io, options, {
    rows,
    columns: [
      { name: "command", value: ({ command }) => command },
      { name: "line", value: ({ line }) => line },
      { name: "what", value: ({ what }) => what },
    ],
    text: ({ style }) =>
      commands.filter((command) => examplesOf(command).length > 0)
        .flatMap((command) => [
          style.bold(toFullName(command)),
          ...toExampleLines(examplesOf(command)),
          "",
        ]).slice(0, -1),
  });
  return 0;
}
