/**
 * The tools, resources and prompts that the MCP conformance suite looks for, by the names it
 * gives them. They are added to the real server, and only while the suite runs.
 *
 * @module
 */
import {
  type CallToolResult,
  createRequestStateCodec,
  type GetPromptResult,
  inputRequired,
  type InputRequiredResult,
  type ReadResourceResult,
  type Tool as ToolListing,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import type { ListNotifier } from "../../lib/mcp/http.ts";
import type { PromptSource } from "../../lib/mcp/prompts.ts";
import type { ResourceSource } from "../../lib/mcp/resources.ts";
import type { ServerExtras } from "../../lib/mcp/server.ts";
import { toErrorResult, type Tool, type ToolCall } from "../../lib/mcp/tool.ts";
import { KBDB_TOOLS } from "../../lib/mcp/tools/mod.ts";

/** An image of one red pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/** A sound of no length. */
const WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

/** How long a tool waits between two notifications, so that they do not come at once. */
const STEP_MS = 20;

type Schema = ToolListing["inputSchema"];
type Outcome = CallToolResult | InputRequiredResult;
type FormSchema = Parameters<typeof inputRequired.elicit>[0]["requestedSchema"];

const NOTHING: Schema = { type: "object" };
const NAME: FormSchema = {
  type: "object",
  properties: { name: { type: "string" } },
  required: ["name"],
};
const CONFIRMATION: FormSchema = {
  type: "object",
  properties: { ok: { type: "boolean" } },
  required: ["ok"],
};

/** Everything the suite looks for, besides what kbdb offers. */
export function fixtures(notifier: ListNotifier): ServerExtras {
  const key = crypto.getRandomValues(new Uint8Array(32));
  const codec = createRequestStateCodec<number>({ key });
  return {
    tools: [
      ...KBDB_TOOLS,
      ...contentTools(),
      ...notifyingTools(notifier),
      ...askingTools(),
      ...statefulTools((round) => codec.mint(round)),
    ],
    resources: [RESOURCES],
    prompts: [PROMPTS],
    requestState: { verify: codec.verify },
  };
}

function contentTools(): Tool[] {
  return [
    tool(
      "test_simple_text",
      () => text("This is a simple text response for testing."),
    ),
    tool("test_image_content", () => ({
      content: [{ type: "image", data: PNG, mimeType: "image/png" }],
    })),
    tool("test_audio_content", () => ({
      content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }],
    })),
    tool("test_embedded_resource", () => ({
      content: [{
        type: "resource",
        resource: {
          uri: "test://embedded-resource",
          mimeType: "text/plain",
          text: "This is an embedded resource content.",
        },
      }],
    })),
    tool("test_multiple_content_types", () => ({
      content: [
        { type: "text", text: "Multiple content types test:" },
        { type: "image", data: PNG, mimeType: "image/png" },
        {
          type: "resource",
          resource: {
            uri: "test://mixed-content-resource",
            mimeType: "application/json",
            text: '{"test":"data","value":123}',
          },
        },
      ],
    })),
    tool(
      "test_error_handling",
      () =>
        toErrorResult("This tool intentionally returns an error for testing"),
    ),
    tool(
      "json_schema_2020_12_tool",
      (_, args) => text(JSON.stringify(args)),
      JSON_SCHEMA,
    ),
  ];
}

/** A schema with keywords that a server has to hand on as they are. */
const JSON_SCHEMA: Schema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: {
    properties: { contactMethod: { const: "phone" } },
    required: ["contactMethod"],
  },
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
};

function notifyingTools(notifier: ListNotifier): Tool[] {
  return [
    tool("test_tool_with_logging", async (call) => {
      for (const step of ["execution started", "processing data"]) {
        call.log("info", `Tool ${step}`);
        await sleep(STEP_MS);
      }
      call.log("info", "Tool execution completed");
      return text("Tool with logging executed successfully");
    }),
    tool("test_logging_tool", (call) => {
      call.log("info", "A message for those who asked for it");
      return text("done");
    }),
    tool("test_tool_with_progress", async (call) => {
      for (const done of [0, 50, 100]) {
        call.progress(done, 100, `Completed step ${done} of 100`);
        await sleep(STEP_MS);
      }
      return text("Tool with progress executed successfully");
    }),
    tool("test_trigger_tool_change", () => {
      notifier.toolsChanged();
      return text("The tools changed");
    }),
    tool("test_trigger_prompt_change", () => {
      notifier.promptsChanged();
      return text("The prompts changed");
    }),
  ];
}

/** Tools that ask the client once and answer with what it said. */
function askingTools(): Tool[] {
  const say = (value: unknown) => text(JSON.stringify(value));
  return [
    asking("test_sampling", (args) => write(String(args["prompt"])), say, {
      type: "object",
      properties: { prompt: { type: "string" } },
      required: ["prompt"],
    }),
    asking(
      "test_elicitation",
      (args) => ask(String(args["message"]), ACCOUNT),
      say,
      {
        type: "object",
        properties: { message: { type: "string" } },
        required: ["message"],
      },
    ),
    asking(
      "test_elicitation_sep1034_defaults",
      () => ask("Please look through the defaults", DEFAULTS),
      say,
    ),
    asking(
      "test_elicitation_sep1330_enums",
      () => ask("Please choose", CHOICES),
      say,
    ),
    asking(
      "test_missing_capability",
      () => write("Are you there?"),
      say,
    ),
    tool("test_input_required_result_elicitation", ({ inputs }) => {
      const name = readField(inputs["user_name"], "name");
      return name === undefined
        ? inputRequired({
          inputRequests: { user_name: ask("What is your name?", NAME) },
        })
        : text(`Hello, ${name}!`);
    }),
    asking(
      "test_input_required_result_sampling",
      () => write("What is the capital of France?"),
      say,
    ),
    asking(
      "test_input_required_result_list_roots",
      () => inputRequired.listRoots(),
      say,
    ),
    tool("test_streaming_elicitation", () => text("done")),
    tool(
      "test_input_required_result_capabilities",
      ({ canSample }) =>
        canSample
          ? inputRequired({
            inputRequests: { capital: write("What is the capital of France?") },
          })
          : text("The client can do nothing that was to be asked for"),
    ),
  ];
}

const ACCOUNT: FormSchema = {
  type: "object",
  properties: {
    username: { type: "string", description: "User's response" },
    email: { type: "string", description: "User's email address" },
  },
  required: ["username", "email"],
};

const DEFAULTS: FormSchema = {
  type: "object",
  properties: {
    name: { type: "string", default: "John Doe" },
    age: { type: "integer", default: 30 },
    score: { type: "number", default: 95.5 },
    status: {
      type: "string",
      enum: ["active", "inactive", "pending"],
      default: "active",
    },
    verified: { type: "boolean", default: true },
  },
};

const CHOICES: FormSchema = {
  type: "object",
  properties: {
    untitledSingle: {
      type: "string",
      enum: ["option1", "option2", "option3"],
    },
    titledSingle: {
      type: "string",
      oneOf: [
        { const: "value1", title: "First Option" },
        { const: "value2", title: "Second Option" },
        { const: "value3", title: "Third Option" },
      ],
    },
    legacyEnum: {
      type: "string",
      enum: ["opt1", "opt2", "opt3"],
      enumNames: ["Option One", "Option Two", "Option Three"],
    },
    untitledMulti: {
      type: "array",
      items: { type: "string", enum: ["option1", "option2", "option3"] },
    },
    titledMulti: {
      type: "array",
      items: {
        anyOf: [
          { const: "value1", title: "First Choice" },
          { const: "value2", title: "Second Choice" },
          { const: "value3", title: "Third Choice" },
        ],
      },
    },
  },
};

/** Tools that give the client a state to hand back. */
function statefulTools(mint: (round: number) => Promise<string>): Tool[] {
  const confirming = (name: string) =>
    tool(
      name,
      async ({ inputs }) =>
        has(inputs, "confirm") ? text("state-ok") : inputRequired({
          inputRequests: { confirm: ask("Please confirm", CONFIRMATION) },
          requestState: await mint(1),
        }),
    );
  return [
    confirming("test_input_required_result_request_state"),
    confirming("test_input_required_result_tampered_state"),
    tool("test_input_required_result_multiple_inputs", async ({ inputs }) => {
      const names = ["user_name", "greeting", "client_roots"];
      return names.every((name) => has(inputs, name))
        ? text("all inputs")
        : inputRequired({
          inputRequests: {
            user_name: ask("What is your name?", NAME),
            greeting: write("Generate a greeting"),
            client_roots: inputRequired.listRoots(),
          },
          requestState: await mint(1),
        });
    }),
    tool("test_input_required_result_multi_round", async ({ inputs }) => {
      if (has(inputs, "step2")) return text("both steps");
      return has(inputs, "step1")
        ? inputRequired({
          inputRequests: {
            step2: ask("Step 2: What is your favorite color?", {
              type: "object",
              properties: { color: { type: "string" } },
              required: ["color"],
            }),
          },
          requestState: await mint(2),
        })
        : inputRequired({
          inputRequests: { step1: ask("Step 1: What is your name?", NAME) },
          requestState: await mint(1),
        });
    }),
  ];
}

const TEMPLATE = /^test:\/\/template\/([^/]+)\/data$/u;

const RESOURCES: ResourceSource = {
  templates: [{
    name: "template",
    title: "Template",
    uriTemplate: "test://template/{id}/data",
    description: "Data by id",
    mimeType: "application/json",
  }],
  list: () => ({
    resources: [
      ["test://static-text", "text/plain"],
      ["test://static-binary", "image/png"],
      ["test://watched-resource", "text/plain"],
    ].map(([uri = "", mimeType = ""]) => ({
      uri,
      name: uri.slice("test://".length),
      title: "Fixture",
      description: "A resource of the suite",
      mimeType,
    })),
  }),
  read(uri): ReadResourceResult | undefined {
    if (uri === "test://static-binary") {
      return { contents: [{ uri, mimeType: "image/png", blob: PNG }] };
    }
    if (uri === "test://static-text" || uri === "test://watched-resource") {
      const text = "This is the content of the static text resource.";
      return { contents: [{ uri, mimeType: "text/plain", text }] };
    }
    const id = TEMPLATE.exec(uri)?.[1];
    return id === undefined ? undefined : {
      contents: [{
        uri,
        mimeType: "application/json",
        text: JSON.stringify({
          id,
          templateTest: true,
          data: `Data for ID: ${id}`,
        }),
      }],
    };
  },
};

type Content = GetPromptResult["messages"][number]["content"];
type FillIn = PromptSource["get"] extends
  (name: string, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never;

interface PromptFixture {
  readonly arguments?: readonly string[];
  readonly fillIn: FillIn;
}

const PROMPTS_BY_NAME: Readonly<Record<string, PromptFixture>> = {
  test_simple_prompt: {
    fillIn: () =>
      user({ type: "text", text: "This is a simple prompt for testing." }),
  },
  test_prompt_with_arguments: {
    arguments: ["arg1", "arg2"],
    fillIn: ({ arg1, arg2 }) =>
      user({
        type: "text",
        text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
      }),
  },
  test_prompt_with_embedded_resource: {
    arguments: ["resourceUri"],
    fillIn: ({ resourceUri = "" }) =>
      user({
        type: "resource",
        resource: {
          uri: resourceUri,
          mimeType: "text/plain",
          text: "Embedded resource content for testing.",
        },
      }, {
        type: "text",
        text: "Please process the embedded resource above.",
      }),
  },
  test_prompt_with_image: {
    fillIn: () =>
      user(
        { type: "image", data: PNG, mimeType: "image/png" },
        { type: "text", text: "Please analyze the image above." },
      ),
  },
  test_input_required_result_prompt: {
    fillIn: (_, inputs) => {
      const context = readField(inputs["user_context"], "context");
      return context === undefined
        ? inputRequired({
          inputRequests: {
            user_context: ask("What context should the prompt use?", {
              type: "object",
              properties: { context: { type: "string" } },
              required: ["context"],
            }),
          },
        })
        : user({ type: "text", text: `Use: ${context}` });
    },
  },
};

const PROMPTS: PromptSource = {
  list: () =>
    Object.entries(PROMPTS_BY_NAME).map(([name, prompt]) => ({
      name,
      title: "Fixture",
      description: "A prompt of the suite",
      arguments: (prompt.arguments ?? []).map((argument) => ({
        name: argument,
        required: true,
      })),
    })),
  get: (name, args, inputs) => PROMPTS_BY_NAME[name]?.fillIn(args, inputs),
};

function tool(
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

type InputRequest = ReturnType<typeof inputRequired.elicit>;

/** A tool that asks one thing under a name of its own choice. */
function asking(
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

function ask(message: string, requestedSchema: FormSchema): InputRequest {
  return inputRequired.elicit({ message, requestedSchema });
}

function write(prompt: string): InputRequest {
  return inputRequired.createMessage({
    messages: [{ role: "user", content: { type: "text", text: prompt } }],
    maxTokens: 100,
  });
}

function text(value: string): CallToolResult {
  return { content: [{ type: "text", text: value }] };
}

function user(...contents: readonly Content[]): GetPromptResult {
  return { messages: contents.map((content) => ({ role: "user", content })) };
}

function has(inputs: Readonly<Record<string, unknown>>, name: string): boolean {
  return inputs[name] !== undefined;
}

const formSchema = z.looseObject({
  content: z.record(z.string(), z.unknown()),
});

/** A field of a form that a client sent back; `undefined` if it is no text. */
function readField(answer: unknown, name: string): string | undefined {
  const value = formSchema.safeParse(answer).data?.content[name];
  return typeof value === "string" ? value : undefined;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
