import { Argument, type Command } from "commander";
import { addExamples, type Declaring, markListing } from "./declaring.ts";

/** Declares the commands that say how kbdb is used; none of them needs a base. */
export function declareHelping(
  { program, io, done, version }: Declaring,
): void {
  const guide = program.command("guide")
    .description(
      "print how an agent uses the base well, in the form of a skill file",
    )
    .action(async (_: unknown, command: Command) => {
      const { guide } = await import("../commands/guide.ts");
      done(guide(io, command.optsWithGlobals()));
    });
  addExamples(
    guide,
    ["kbdb guide", "to read"],
    ["kbdb guide > .claude/skills/kbdb/SKILL.md", "for an agent"],
  );
  const examples = program.command("examples [command]")
    .description("print examples of every command, or of one")
    .action(async (name: string | undefined, _: unknown, command: Command) => {
      const { examples } = await import("../commands/examples.ts");
      done(await examples(io, program, name, command.optsWithGlobals()));
    });
  addExamples(
    markListing(examples),
    ["kbdb examples", "all of them"],
    ["kbdb examples search", "those of one command"],
  );
  const completions = program.command("completions")
    .description("print what makes a shell complete the words of kbdb")
    .addArgument(
      new Argument("<shell>", "the shell").choices([
        "bash",
        "zsh",
        "fish",
        "powershell",
      ]),
    )
    .action(async (shell: string, _: unknown, command: Command) => {
      const { completions } = await import("../commands/completions.ts");
      done(completions(io, program, shell, command.optsWithGlobals()));
    });
  addExamples(
    completions,
    ["source <(kbdb completions bash)", "in ~/.bashrc"],
    ["kbdb completions zsh > ~/.zfunc/_kbdb", "in a folder of $fpath"],
    [
      "kbdb completions fish > ~/.config/fish/completions/kbdb.fish",
      "where fish looks",
    ],
    [
      "kbdb completions powershell | Out-String | Invoke-Expression",
      "in $PROFILE",
    ],
  );
  const about = program.command("version")
    .description("print the version of kbdb and of what is inside")
    .action(async (_: unknown, command: Command) => {
      const { showVersion } = await import("../commands/version.ts");
      done(await showVersion(io, version, command.optsWithGlobals()));
    });
  addExamples(markListing(about), ["kbdb version", "what is inside"]);
}
