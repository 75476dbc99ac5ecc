import { KbError } from "../../core/mod.ts";
import type { Agent, Engine } from "../../kb/mod.ts";
import { confirm } from "../confirm.ts";
import { toPrintable } from "../format.ts";
import { readText } from "../input.ts";
import {
  type CliIo,
  type GlobalOptions,
  writeJson,
  writeLines,
} from "../io.ts";
import { writeListing } from "../output/write.ts";
import { openForReading, openForWriting } from "../session.ts";
import type { AskingOptions } from "./rm.ts";
import { getSkill } from "./skill.ts";

/** Options of `kbdb agent create`. */
export interface CreateAgentOptions extends GlobalOptions {
  /** What the agent does. */
  readonly description: string;
  /** File of the persona. */
  readonly file?: string;
  /** Skills, by name or kbid. */
  readonly skill?: readonly string[];
}

/** Lists the agents. */
export async function list(
  io: CliIo,
  options: GlobalOptions,
): Promise<number> {
  await using kb = await openForReading(io, options);
  await writeListing(io, options, {
    rows: await kb.listAgents(),
    columns: [
      { name: "name", value: ({ name }) => name },
      { name: "docid", value: ({ docid }) => docid },
      {
        name: "skills",
        value: ({ skills }) => skills.map(({ name, kbid }) => name ?? kbid),
      },
      { name: "description", value: ({ description }) => description },
    ],
    empty: "There are no agents yet; keep one with: kbdb agent create",
  });
  return 0;
}

/** Shows an agent with its persona and skills. */
export async function show(
  io: CliIo,
  ref: string,
  options: GlobalOptions,
): Promise<number> {
  await using kb = await openForReading(io, options);
  const agent = await getAgent(kb, ref);
  if (options.format === "json") {
    writeJson(io, agent);
    return 0;
  }
  writeLines(io.out, [
    `${toPrintable(agent.name)}  ${toPrintable(agent.docid)}`,
    toPrintable(agent.description),
    ...agent.skills.map(({ name, kbid, description }) =>
      toPrintable(`  ${name ?? "(removed)"}  ${kbid}  ${description ?? ""}`)
        .trimEnd()
    ),
    "",
    ...agent.persona.split("\n").map(toPrintable),
  ]);
  return 0;
}

/** An agent by docid, else by name: of several, the one stored last. */
async function getAgent(kb: Engine, ref: string): Promise<Agent> {
  const agents = await kb.listAgents();
  const found = agents.find(({ docid }) => docid === ref) ??
    agents.findLast(({ name }) => name === ref);
  if (found !== undefined) return found;
  throw new KbError(
    "not_found",
    `There is no agent "${ref}"; see: kbdb agent list`,
    { details: { ref } },
  );
}

/** Keeps an agent. */
export async function create(
  io: CliIo,
  name: string,
  words: readonly string[],
  options: CreateAgentOptions,
): Promise<number> {
  const persona = await readText(io, words, {
    usage: 'kbdb agent create NAME --description TEXT "PERSONA"',
    ...(options.file === undefined ? {} : { file: options.file }),
  });
  await using kb = await openForWriting(io, options);
  const skills: string[] = [];
  for (const ref of options.skill ?? []) {
    skills.push((await getSkill(kb, ref)).kbid);
  }
  const agent = await kb.createAgent({
    name,
    description: options.description,
    persona,
    skills,
  });
  if (options.format === "json") writeJson(io, agent);
  else io.out.write(`Kept the agent ${agent.name} as ${agent.docid}\n`);
  return 0;
}

/** Removes an agent; its skills stay. */
export async function rm(
  io: CliIo,
  ref: string,
  options: AskingOptions,
): Promise<number> {
  await using kb = await openForReading(io, options);
  const { docid, name } = await getAgent(kb, ref);
  await confirm(
    io,
    `Remove the agent ${name} (${docid})? Its skills stay.`,
    options.yes,
  );
  await kb.removeAgent(docid);
  if (options.format === "json") writeJson(io, { removed: docid });
  else io.out.write(`Removed the agent ${name}\n`);
  return 0;
}
