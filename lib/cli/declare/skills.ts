import type { Command } from "commander";
import {
  addExamples,
  commandByDefault,
  type Declaring,
  markListing,
} from "./declaring.ts";
import { addListed, listOption, yesOption } from "./options.ts";

/** Declares the commands on skills, which are templates, and on agents, which have a persona and skills. */
export function declareSkills(declaring: Declaring): void {
  declareSkill(declaring);
  declareAgent(declaring);
}

function declareSkill({ program, io, done }: Declaring): void {
  const skill = program.command("skill").description(
    "templates with {{placeholders}}, offered to agents as prompts",
  );
  const list = commandByDefault(skill, "list")
    .description("list the skills")
    .action(async (_: unknown, command: Command) => {
      const { list } = await import("../commands/skill.ts");
      done(await list(io, command.optsWithGlobals()));
    });
  addExamples(markListing(list), ["kbdb skill list", "every skill"]);
  const show = skill.command("show <skill>")
    .description("show a skill with its template, by name or kbid")
    .action(async (ref: string, _: unknown, command: Command) => {
      const { show } = await import("../commands/skill.ts");
      done(await show(io, ref, command.optsWithGlobals()));
    });
  addExamples(show, ["kbdb skill show code-review", "by name"]);
  const add = skill.command("add <name> [body...]")
    .description(
      "keep a skill; its template comes from the arguments, from --file, or from standard input",
    )
    .requiredOption("--description <text>", "what the skill does")
    .option("--file <path>", "take the template from a file")
    .addOption(
      listOption(
        "--arg <name=description>",
        "describe a placeholder; NAME? makes it optional",
      ),
    )
    .action(
      async (name: string, words: string[], _: unknown, command: Command) => {
        const { add } = await import("../commands/skill.ts");
        done(await add(io, name, words, command.optsWithGlobals()));
      },
    );
  addExamples(
    add,
    [
      "kbdb skill add code-review --description 'Reviews a change' 'Review {{file}} for {{focus}}'",
      "from the arguments",
    ],
    [
      "kbdb skill add plan --description 'Plans work' --file plan.md --arg 'goal=what to reach'",
      "from a file",
    ],
  );
  const render = skill.command("render <skill> [values...]")
    .description("print the template of a skill with its placeholders filled")
    .action(
      async (ref: string, values: string[], _: unknown, command: Command) => {
        const { render } = await import("../commands/skill.ts");
        done(await render(io, ref, values, command.optsWithGlobals()));
      },
    );
  addExamples(
    render,
    ["kbdb skill render code-review file=a.ts focus=errors", "filled"],
  );
  const rm = skill.command("rm <skill>")
    .description("remove a skill, by name or kbid")
    .addOption(yesOption())
    .action(async (ref: string, _: unknown, command: Command) => {
      const { rm } = await import("../commands/skill.ts");
      done(await rm(io, ref, command.optsWithGlobals()));
    });
  addExamples(rm, ["kbdb skill rm code-review --yes", "without a question"]);
}

function declareAgent({ program, io, done }: Declaring): void {
  const agent = program.command("agent").description(
    "personas with skills, offered to agents as prompts",
  );
  const list = commandByDefault(agent, "list")
    .description("list the agents")
    .action(async (_: unknown, command: Command) => {
      const { list } = await import("../commands/agent.ts");
      done(await list(io, command.optsWithGlobals()));
    });
  addExamples(markListing(list), ["kbdb agent list", "every agent"]);
  const show = agent.command("show <agent>")
    .description("show an agent with its persona and skills, by name or docid")
    .action(async (ref: string, _: unknown, command: Command) => {
      const { show } = await import("../commands/agent.ts");
      done(await show(io, ref, command.optsWithGlobals()));
    });
  addExamples(show, ["kbdb agent show reviewer", "by name"]);
  const create = agent.command("create <name> [persona...]")
    .description(
      "keep an agent; its persona comes from the arguments, from --file, or from standard input",
    )
    .requiredOption("--description <text>", "what the agent does")
    .option("--file <path>", "take the persona from a file")
    .addOption(listOption("--skill <skill>", "a skill, by name or kbid"));
  addListed(create, "--skills <skills>", "skill")
    .action(
      async (name: string, words: string[], _: unknown, command: Command) => {
        const { create } = await import("../commands/agent.ts");
        done(await create(io, name, words, command.optsWithGlobals()));
      },
    );
  addExamples(
    create,
    [
      "kbdb agent create reviewer --description 'Reviews code' --skills code-review 'You review code with care'",
      "with a skill",
    ],
  );
  const rm = agent.command("rm <agent>")
    .description("remove an agent, by name or docid; its skills stay")
    .addOption(yesOption())
    .action(async (ref: string, _: unknown, command: Command) => {
      const { rm } = await import("../commands/agent.ts");
      done(await rm(io, ref, command.optsWithGlobals()));
    });
  addExamples(rm, ["kbdb agent rm reviewer --yes", "without a question"]);
}
