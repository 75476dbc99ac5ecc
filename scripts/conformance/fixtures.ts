/**
 * The tools, resources and prompts that the MCP conformance suite looks for, by the names it
 * gives them. They are added to the real server, and only while the suite runs.
 *
 * @module
 */
import {
  createRequestStateCodec,
  type GetPromptResult,
  inputRequired,
  type ReadResourceResult,
} from "@modelcontextprotocol/server";
import type { ListNotifier } from "../../lib/mcp/http.ts";
import type { PromptSource } from "../../lib/mcp/prompts.ts";
import type { ResourceSource } from "../../lib/mcp/resources.ts";
import type { ServerExtras } from "../../lib/mcp/server.ts";
import { toErrorResult, type Tool } from "../../lib/mcp/tool.ts";
import { KBDB_TOOLS } from "../../lib/mcp/tools/mod.ts";
import { askingTools, statefulTools } from "./asking_fixtures.ts";
import { ask, readField, type Schema, text, tool } from "./fixture_parts.ts";

/** An image of one red pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/** A sound of no length. */
const WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

/** How long a tool waits between two notifications, so that they do not come at once. */
const STEP_MS = 20;

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

function user(...contents: readonly Content[]): GetPromptResult {
  return { messages: contents.map((content) => ({ role: "user", content })) };
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
