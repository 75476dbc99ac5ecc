/** The tools of the conformance suite that ask the client before they answer. */
import { inputRequired } from "@modelcontextprotocol/server";
import type { Tool } from "../../lib/mcp/tool.ts";
import {
  ask,
  asking,
  type FormSchema,
  has,
  readField,
  text,
  tool,
  write,
} from "./fixture_parts.ts";

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

/** Tools that ask the client once and answer with what it said. */
export function askingTools(): Tool[] {
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
export function statefulTools(
  mint: (round: number) => Promise<string>,
): Tool[] {
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
