import { z } from "zod";
import { countFitting } from "../window.ts";
import { defineTool, type JsonAnswer, type Tool } from "../tool.ts";
import { LISTED_CHARS, shorten, toCutAnswer, toList } from "./skills.ts";
import { offsetSchema } from "./sections.ts";

/** Most room for the skills of one agent in an answer, in UTF-16 units. */
const SKILLS_CHARS = 12_000;

/** The `agent-create` tool. */
export const agentCreateTool: Tool = defineTool({
  name: "agent-create",
  title: "Create Agent",
  description:
    "Store an agent: a persona and the skills it has. Clients offer it as the prompt agent:NAME.",
  readOnly: false,
  destructive: false,
  idempotent: true,
  input: z.strictObject({
    name: z.string().describe("Agent name (kebab-case)"),
    description: z.string().describe("What the agent does"),
    persona: z.string().describe("System prompt text for the agent"),
    skills: z.array(z.string()).describe("Ordered skill kbid list"),
  }),
  output: z.looseObject({
    docid: z.string(),
    name: z.string(),
    skills: z.array(z.string()),
  }),
  async run(args, call): Promise<JsonAnswer> {
    const agent = await call.kb.createAgent(args);
    call.wrote();
    call.log("info", `Stored agent ${agent.name} as ${agent.docid}`);
    return {
      json: {
        docid: agent.docid,
        name: agent.name,
        skills: agent.skills.map(({ kbid }) => kbid),
      },
      isCompact: true,
    };
  },
});

/** The `agent-list` tool. */
export const agentListTool: Tool = defineTool({
  name: "agent-list",
  title: "List Agents",
  description: "List the stored agents.",
  readOnly: true,
  destructive: false,
  idempotent: true,
  input: z.strictObject({ offset: z.int().min(0).default(0) }),
  async run({ offset }, { kb }): Promise<JsonAnswer> {
    const agents = (await kb.listAgents()).map((agent) => ({
      docid: agent.docid,
      name: agent.name,
      description: shorten(agent.description, LISTED_CHARS),
      skillCount: agent.skills.length,
    }));
    return toList(agents, offset, "agent-list");
  },
});

/** The `agent-get` tool. */
export const agentGetTool: Tool = defineTool({
  name: "agent-get",
  title: "Get Agent",
  description:
    "Read one agent: its persona and its skills in order. The name of a deleted skill is null.",
  readOnly: true,
  destructive: false,
  idempotent: true,
  input: z.strictObject({
    docid: z.string().describe("Agent document ID"),
    offset: offsetSchema.describe("Go on here in persona"),
  }),
  output: z.looseObject({
    docid: z.string(),
    name: z.string(),
    description: z.string(),
    persona: z.string(),
    skills: z.array(z.looseObject({
      kbid: z.string(),
      name: z.nullable(z.string()),
      position: z.int(),
    })),
  }),
  async run({ docid, offset }, { kb }): Promise<JsonAnswer> {
    const agent = await kb.getAgent(docid);
    const skills = agent.skills.map(({ kbid, name, position }) => ({
      kbid,
      name,
      position,
    }));
    const shown = skills.slice(0, countFitting(skills, SKILLS_CHARS));
    const answer = toCutAnswer(
      {
        docid: agent.docid,
        name: agent.name,
        description: shorten(agent.description),
        skills: shown,
        ...(shown.length < skills.length
          ? { skills_omitted: skills.length - shown.length }
          : {}),
      },
      "persona",
      agent.persona,
      offset,
      "agent-get",
    );
    return answer;
  },
});

/** The `agent-delete` tool. */
export const agentDeleteTool: Tool = defineTool({
  name: "agent-delete",
  title: "Delete Agent",
  description: "Remove an agent for good; its skills stay.",
  readOnly: false,
  destructive: true,
  idempotent: true,
  input: z.strictObject({ docid: z.string().describe("Agent document ID") }),
  output: z.looseObject({ docid: z.string(), removed: z.boolean() }),
  async run({ docid }, call): Promise<JsonAnswer> {
    await call.kb.removeAgent(docid);
    call.wrote();
    call.log("info", `Removed agent ${docid}`);
    return { json: { docid, removed: true }, isCompact: true };
  },
});
