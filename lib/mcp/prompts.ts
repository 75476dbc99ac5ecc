import type {
  GetPromptResult,
  InputRequiredResult,
  Prompt,
} from "@modelcontextprotocol/server";
import {
  type Agent,
  fillPlaceholders,
  type SkillDefinition,
} from "../kb/mod.ts";
import type { McpBase } from "./base.ts";
import { invalidParams } from "./errors.ts";

/** A prompt filled in; `undefined` if there is none by that name. */
export type PromptAnswer = GetPromptResult | InputRequiredResult | undefined;

/** Where prompts come from. */
export interface PromptSource {
  /** All of them. */
  list(): Prompt[] | Promise<Prompt[]>;
  /** Fills one in; `undefined` if there is none by that name. */
  get(
    name: string,
    args: Readonly<Record<string, string>>,
    inputs: Readonly<Record<string, unknown>>,
  ): PromptAnswer | Promise<PromptAnswer>;
}

/** What the names of agents' prompts begin with. */
const AGENT = "agent:";

/** Skills and agents of a base as prompts. Of skills that share a name the newest is given. */
export function basePrompts(kb: McpBase): PromptSource {
  return {
    async list(): Promise<Prompt[]> {
      const skills = new Map<string, Prompt>();
      for (
        const { name, description, arguments: args } of await kb.listSkills()
      ) {
        skills.set(name, {
          name,
          description,
          arguments: args.map((argument) => ({
            name: argument.name,
            ...(argument.description === undefined
              ? {}
              : { description: argument.description }),
            required: argument.required ?? false,
          })),
        });
      }
      const agents = new Map(
        (await kb.listAgents()).map(({ name, description }) => [
          name,
          { name: AGENT + name, description, arguments: [] },
        ]),
      );
      return [...skills.values(), ...agents.values()];
    },
    async get(name, args): Promise<GetPromptResult | undefined> {
      if (name.startsWith(AGENT)) {
        const agent = (await kb.listAgents())
          .findLast((one) => AGENT + one.name === name);
        return agent === undefined ? undefined : toAgentPrompt(agent);
      }
      const skill = (await kb.listSkills()).findLast((one) =>
        one.name === name
      );
      return skill === undefined ? undefined : toSkillPrompt(skill, args);
    },
  };
}

function toSkillPrompt(
  skill: SkillDefinition,
  args: Readonly<Record<string, string>>,
): GetPromptResult {
  const missing = skill.arguments
    .filter(({ name, required }) =>
      required === true && !Object.hasOwn(args, name)
    )
    .map(({ name }) => `"${name}"`);
  if (missing.length > 0) {
    throw invalidParams(
      `Cannot get prompt "${skill.name}": missing required argument${
        missing.length === 1 ? "" : "s"
      } ${missing.join(", ")}`,
    );
  }
  return {
    description: skill.description,
    messages: [toMessage("user", fillPlaceholders(skill.body, args))],
  };
}

function toAgentPrompt(agent: Agent): GetPromptResult {
  const skills = agent.skills.flatMap(({ name, description }) =>
    name === null ? [] : [`- ${name}: ${description ?? ""}`]
  );
  return {
    description: agent.description,
    messages: [
      toMessage("assistant", agent.persona),
      toMessage("user", ["Available skills:", ...skills].join("\n")),
    ],
  };
}

function toMessage(
  role: "user" | "assistant",
  text: string,
): GetPromptResult["messages"][number] {
  return { role, content: { type: "text", text } };
}
