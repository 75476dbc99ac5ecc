import {
  inputRequired,
  type InputRequiredResult,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { KbError, LIMITS } from "../../core/mod.ts";
import {
  defineTool,
  type JsonAnswer,
  type Tool,
  type ToolCall,
  type ToolOutcome,
} from "../tool.ts";
import { countFitting, cutText } from "../window.ts";
import { dropUndefined, offsetSchema, since } from "./sections.ts";

/** Name of the text the client's model is asked to write. */
const BODY = "body";
const BODY_TOKENS = 1_500;
/** Room for names and brackets around a text that is cut. */
const ENVELOPE_CHARS = 500;
/** Longest description in an answer, in UTF-16 units. */
const DESCRIPTION_CHARS = 1_000;
/** Longest description in a list, in UTF-16 units. */
export const LISTED_CHARS = 300;
/** Most arguments of a skill an answer describes. */
const ARGUMENTS_SHOWN = 64;
const NO_BODY = "skill body must not be empty";

const learnInput = z.strictObject({
  name: z.string().describe("Skill name (kebab-case)"),
  description: z.string().describe("What the skill does"),
  arguments: z.array(z.strictObject({
    name: z.string(),
    description: z.string().optional(),
    required: z.boolean().optional(),
  })).optional().describe("Prompt argument definitions"),
  body: z.string().optional().describe(
    "Template with {{argName}} placeholders",
  ),
});

/** The `skill-learn` tool. */
export const skillLearnTool: Tool = defineTool({
  name: "skill-learn",
  title: "Create Skill",
  description:
    "Store a reusable prompt template; clients offer it as a prompt. Use it when the user wants to " +
    "keep a way of doing things. Placeholders in body become arguments. Without body, your client's " +
    "model is asked to write one, if the client allows sampling.",
  readOnly: false,
  destructive: false,
  idempotent: true,
  input: learnInput,
  output: z.looseObject({
    kbid: z.string(),
    name: z.string(),
    arguments: z.array(z.looseObject({ name: z.string() })),
  }),
  advisedArguments: ["body"],
  async run(args, call): Promise<ToolOutcome> {
    const body = args.body ?? sampledText(call.inputs[BODY]);
    if (body === undefined && call.canSample) return askForBody(args);
    if (body === undefined || body.trim() === "") {
      throw new KbError("invalid_input", NO_BODY);
    }
    return { json: await store({ ...args, body }, call), isCompact: true };
  },
});

async function store(
  input: z.output<typeof learnInput> & { readonly body: string },
  call: ToolCall,
): Promise<object> {
  const started = performance.now();
  const { name, description, body } = input;
  const { skill, created } = await call.kb.learnSkill({
    name,
    description,
    body,
    ...(input.arguments === undefined
      ? {}
      : { arguments: input.arguments.map(dropUndefined) }),
  });
  if (created) call.wrote();
  call.log("info", `Stored skill ${skill.name} as ${skill.kbid}`);
  return {
    kbid: skill.kbid,
    type: "skill",
    name: skill.name,
    description: skill.description,
    arguments: skill.arguments,
    indexed_terms_count: 0,
    elapsed_ms: since(started),
    attached: false,
    created,
  };
}

function askForBody(
  { name, description, arguments: declared = [] }: z.output<typeof learnInput>,
): InputRequiredResult {
  const placeholders = declared.length === 0
    ? "Invent the {{placeholders}} it needs."
    : `Use these placeholders: ${
      declared.map((one) => `{{${one.name}}}`).join(", ")
    }.`;
  return inputRequired({
    inputRequests: {
      [BODY]: inputRequired.createMessage({
        messages: [{
          role: "user",
          content: {
            type: "text",
            text:
              `Write the prompt template of a skill named "${name}". What it does: ` +
              `${description}\n${placeholders} Answer with the template only.`,
          },
        }],
        maxTokens: BODY_TOKENS,
      }),
    },
  });
}

/** The text of a `sampling/createMessage` result; `undefined` if it is none. */
function sampledText(answer: unknown): string | undefined {
  if (answer === undefined) return undefined;
  const parsed = z.looseObject({
    content: z.union([z.unknown().array(), z.looseObject({})]),
  }).safeParse(answer);
  if (!parsed.success) return "";
  const texts = [parsed.data.content].flat().map((block) =>
    z.looseObject({ type: z.literal("text"), text: z.string() })
      .safeParse(block).data?.text ?? ""
  );
  return texts.join("");
}

/** The `skill-list` tool. */
export const skillListTool: Tool = defineTool({
  name: "skill-list",
  title: "List Skills",
  description:
    "List the stored skills. Use it to see whether there is a skill for the task at hand.",
  readOnly: true,
  destructive: false,
  idempotent: true,
  input: z.strictObject({ offset: z.int().min(0).default(0) }),
  async run({ offset }, { kb }): Promise<JsonAnswer> {
    const skills = (await kb.listSkills()).map((skill) => ({
      kbid: skill.kbid,
      name: skill.name,
      description: shorten(skill.description, LISTED_CHARS),
      argumentCount: skill.arguments.length,
    }));
    return toList(skills, offset, "skill-list");
  },
});

/** The `skill-get` tool. */
export const skillGetTool: Tool = defineTool({
  name: "skill-get",
  title: "Get Skill",
  description:
    "Read one skill with its template, by name or kbid, to follow it yourself.",
  readOnly: true,
  destructive: false,
  idempotent: true,
  input: z.strictObject({
    name: z.string().optional().describe("Skill name"),
    kbid: z.string().optional().describe("Skill kb-id; wins over name"),
    offset: offsetSchema.describe("Go on here in body"),
  }),
  output: z.looseObject({
    kbid: z.string(),
    name: z.string(),
    description: z.string(),
    arguments: z.array(z.looseObject({ name: z.string() })),
    body: z.string(),
  }),
  async run({ name, kbid, offset }, { kb }): Promise<JsonAnswer> {
    if (name === undefined && kbid === undefined) {
      throw new KbError("invalid_input", "Provide name or kbid");
    }
    const skill = await kb.getSkill(
      kbid === undefined ? { name: name ?? "" } : { kbid },
    );
    const facts = {
      kbid: skill.kbid,
      name: skill.name,
      description: shorten(skill.description),
      arguments: skill.arguments.slice(0, ARGUMENTS_SHOWN).map((one) => ({
        ...one,
        ...(one.description === undefined
          ? {}
          : { description: shorten(one.description) }),
      })),
    };
    return toCutAnswer(facts, "body", skill.body, offset, "skill-get");
  },
});

/** Answers facts and a text, which goes on at an offset where it is too long. */
export function toCutAnswer(
  facts: Readonly<Record<string, unknown>>,
  key: string,
  text: string,
  offset: number,
  tool: string,
): JsonAnswer {
  const budget = LIMITS.answerChars - ENVELOPE_CHARS -
    JSON.stringify(facts, null, 2).length;
  const part = cutText(text, offset, Math.max(budget, ENVELOPE_CHARS));
  const { nextOffset } = part;
  return {
    json: {
      ...facts,
      [key]: part.text,
      ...(nextOffset === undefined ? {} : { next_offset: nextOffset }),
    },
    ...(nextOffset === undefined ? {} : {
      note: `Cut at ${nextOffset} of ${text.length} characters of ${key}; ` +
        `go on with ${tool} and offset ${nextOffset}.`,
    }),
  };
}

/** The `skill-delete` tool. */
export const skillDeleteTool: Tool = defineTool({
  name: "skill-delete",
  title: "Delete Skill",
  description:
    "Remove a skill for good. Agents that use it keep a reference that leads nowhere.",
  readOnly: false,
  destructive: true,
  idempotent: true,
  input: z.strictObject({
    kbid: z.string().describe("Skill kb-id to remove"),
  }),
  output: z.looseObject({ kbid: z.string(), removed: z.boolean() }),
  async run({ kbid }, call): Promise<JsonAnswer> {
    await call.kb.removeSkill(kbid);
    call.wrote();
    call.log("info", `Removed skill ${kbid}`);
    return { json: { kbid, removed: true }, isCompact: true };
  },
});

/** A list that goes on at an offset where it is too long for one answer. */
export function toList(
  entries: readonly object[],
  offset: number,
  tool: string,
): JsonAnswer {
  const rest = entries.slice(offset);
  const shown = rest.slice(0, countFitting(rest, LIMITS.answerChars));
  const next = offset + shown.length;
  return {
    json: shown,
    ...(next < entries.length
      ? {
        note:
          `Shows ${shown.length} of ${entries.length}; go on with ${tool} ` +
          `and offset ${next}.`,
      }
      : {}),
  };
}

/** A description as answers show it. */
export function shorten(
  text: string,
  chars: number = DESCRIPTION_CHARS,
): string {
  return text.length <= chars
    ? text
    : `${text.slice(0, chars).toWellFormed()}…`;
}
