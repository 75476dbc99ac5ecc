/** What the fixtures of the conformance suite are made of. */
import {
  type CallToolResult,
  inputRequired,
  type InputRequiredResult,
  type Tool as ToolListing,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Tool, ToolCall } from "../../lib/mcp/tool.ts";

/** Schema of what a tool takes. */
export type Schema = ToolListing["inputSchema"];
/** What a tool answers with. */
export type Outcome = CallToolResult | InputRequiredResult;
/** Schema of a form that a client fills in. */
export type FormSchema = Parameters<
  typeof inputRequired.elicit
>[0]["requestedSchema"];

const NOTHING: Schema = { type: "object" };

/** Makes a tool of the suite. */
export function tool(
  name: string,
  run: (
    call: ToolCall,
    args: Readonly<Record<string, unknown>>,
  ) => Outcome | Promise<Outcome>,
  inputSchema: Schema = NOTHING,
): Tool {
  const argsSchema = z.record(z.string(), z.unknown());
  return {
    name,
    describe: () => ({
      name,
      description: "Fixture of the suite",
      inputSchema,
    }),
    call: async (args, call) => await run(call, argsSchema.parse(args ?? {})),
  };
}

/** What a tool asks of a client. */
export type InputRequest = ReturnType<typeof inputRequired.elicit>;

/** A tool that asks one thing under a name of its own choice. */
export function asking(
  name: string,
  request: (args: Readonly<Record<string, unknown>>) => InputRequest,
  answer: (input: unknown) => Outcome,
  inputSchema: Schema = NOTHING,
): Tool {
  return tool(
    name,
    ({ inputs }, args) =>
      has(inputs, "asked")
        ? answer(inputs["asked"])
        : inputRequired({ inputRequests: { asked: request(args) } }),
    inputSchema,
  );
}

/** Asks for a form. */
export function ask(
  message: string,
  requestedSchema: FormSchema,
): InputRequest {
  return inputRequired.elicit({ message, requestedSchema });
}

/** Asks for a text of the client's model. */
export function write(prompt: string): InputRequest {
  return inputRequired.createMessage({
    messages: [{ role: "user", content: { type: "text", text: prompt } }],
    maxTokens: 100,
  });
}

/** An answer of one text. */
export function text(value: string): CallToolResult {
  return { content: [{ type: "text", text: value }] };
}

/** Says whether a client answered what was asked under a name. */
export function has(
  inputs: Readonly<Record<string, unknown>>,
  name: string,
): boolean {
  return inputs[name] !== undefined;
}

const formSchema = z.looseObject({
  content: z.record(z.string(), z.unknown()),
});

/** A field of a form that a client sent back; `undefined` if it is no text. */
export function readField(answer: unknown, name: string): string | undefined {
  const value = formSchema.safeParse(answer).data?.content[name];
  return typeof value === "string" ? value : undefined;
}
