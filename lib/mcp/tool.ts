import {
  type CallToolResult,
  type InputRequiredResult,
  isInputRequiredResult,
  type LoggingLevel,
  type Tool as ToolListing,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { describeIssues } from "./arguments.ts";
import type { McpBase } from "./base.ts";

/** What a tool may do besides answering. */
export interface ToolCall {
  /** The base. */
  readonly kb: McpBase;
  /** Version of kbdb. */
  readonly version: string;
  /** Who calls: something that differs from key to key, `""` where there are none. */
  readonly owner: string;
  /** Aborts when the client does not want the answer any more. */
  readonly signal: AbortSignal;
  /** What the client answered to {@linkcode InputRequiredResult}, by name; untrusted. */
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Whether the client can have its model write a text. */
  readonly canSample: boolean;
  /** Tells the client, if it asked to be told. */
  log(level: LoggingLevel, text: string): void;
  /** Tells how far the work is, if the client asked to be told. */
  progress(done: number, total: number, message: string): void;
  /** Says that the base was written to: vectors are made and listeners told. */
  wrote(): void;
}

/** A tool's answer: a JSON value. */
export interface JsonAnswer {
  /** What is answered. */
  readonly json: object;
  /** Whether it is written without indentation; default no. */
  readonly isCompact?: boolean;
  /** How to go on, as a text of its own, where the JSON has no place for it. */
  readonly note?: string;
}

/** What running a tool comes to. */
export type ToolOutcome = JsonAnswer | InputRequiredResult;

/** What a tool does to the base, as hosts are told. */
export interface ToolEffects {
  /** Whether it changes nothing. */
  readonly readOnly: boolean;
  /** Whether it may remove something. */
  readonly destructive: boolean;
  /** Whether a second call with the same arguments changes nothing more. */
  readonly idempotent: boolean;
}

/** How to make a {@linkcode Tool}. */
export interface ToolDefinition<Input extends z.ZodObject> extends ToolEffects {
  /** Name. */
  readonly name: string;
  /** Name for people. */
  readonly title: string;
  /** What it does and when to use it. */
  readonly description: string;
  /** Strict schema of the arguments. */
  readonly input: Input;
  /** Schema of the answer, if it is always an object. */
  readonly output?: z.ZodObject;
  /** Arguments the listing calls required though they may be left out. */
  readonly advisedArguments?: readonly string[];
  /** Runs it. */
  readonly run: (
    args: z.output<Input>,
    call: ToolCall,
  ) => ToolOutcome | Promise<ToolOutcome>;
}

/** A tool as the server keeps it. */
export interface Tool {
  /** Name. */
  readonly name: string;
  /** As `tools/list` shows it; made at the first call. */
  describe(): ToolListing;
  /** Runs it on arguments that nobody has looked at yet. */
  call(
    args: unknown,
    call: ToolCall,
  ): Promise<CallToolResult | InputRequiredResult>;
}

/**
 * Makes a tool. Arguments its schema refuses are answered with what is wrong and how to mend it.
 *
 * @param definition Everything about it.
 */
export function defineTool<Input extends z.ZodObject>(
  definition: ToolDefinition<Input>,
): Tool {
  const { name, input, output, run } = definition;
  let listing: ToolListing | undefined;
  return {
    name,
    describe(): ToolListing {
      return listing ??= toListing(definition);
    },
    async call(
      args: unknown,
      call: ToolCall,
    ): Promise<CallToolResult | InputRequiredResult> {
      const parsed = input.safeParse(args ?? {});
      if (!parsed.success) {
        return toErrorResult(
          describeIssues(name, parsed.error.issues, input, args),
        );
      }
      const outcome = await run(parsed.data, call);
      return isInputRequiredResult(outcome)
        ? outcome
        : toResult(outcome, output !== undefined);
    },
  };
}

/** An answer that says what went wrong. */
export function toErrorResult(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

function toResult(
  { json, isCompact = false, note }: JsonAnswer,
  isStructured: boolean,
): CallToolResult {
  const text = isCompact ? JSON.stringify(json) : JSON.stringify(json, null, 2);
  return {
    content: [
      { type: "text", text },
      ...(note === undefined ? [] : [{ type: "text" as const, text: note }]),
    ],
    ...(isStructured ? { structuredContent: { ...json } } : {}),
  };
}

function toListing<Input extends z.ZodObject>(
  definition: ToolDefinition<Input>,
): ToolListing {
  const { name, title, description, input, output } = definition;
  const inputSchema = toJsonSchema(input, "input");
  const required = [
    ...inputSchema.required ?? [],
    ...definition.advisedArguments ?? [],
  ];
  return {
    name,
    title,
    description,
    inputSchema: {
      ...inputSchema,
      ...(required.length === 0 ? {} : { required }),
    },
    ...(output === undefined
      ? {}
      : { outputSchema: toJsonSchema(output, "output") }),
    annotations: {
      title,
      readOnlyHint: definition.readOnly,
      destructiveHint: definition.destructive,
      idempotentHint: definition.idempotent,
      openWorldHint: false,
    },
  };
}

/** A JSON schema without what it would be taken for anyway. */
function toJsonSchema(
  schema: z.ZodObject,
  io: "input" | "output",
): ToolListing["inputSchema"] {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io });
  return { ...json, type: "object" } as ToolListing["inputSchema"];
}
