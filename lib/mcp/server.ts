import {
  isJSONRPCErrorResponse,
  type JSONRPCMessage,
  McpServer,
  type ProtocolEra,
  ProtocolErrorCode,
  type ServerOptions,
  type Transport,
} from "@modelcontextprotocol/server";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { LIMITS } from "../core/mod.ts";
import type { McpBase } from "./base.ts";
import { type Connection, newConnection } from "./connection.ts";
import { complete, completeParams } from "./completions.ts";
import { invalidParams, NOT_FOUND, notFound } from "./errors.ts";
import { INSTRUCTIONS, KB_INSTRUCTIONS } from "./instructions.ts";
import { LOG_LEVELS } from "./logging.ts";
import { basePrompts, type PromptSource } from "./prompts.ts";
import { baseResources, type ResourceSource } from "./resources.ts";
import { serveTools } from "./serve_tools.ts";
import type { Tool } from "./tool.ts";
import { KBDB_TOOLS } from "./tools/mod.ts";

/** What a server offers besides, or instead of, what kbdb does. */
export interface ServerExtras {
  /** Tools; default the 18 of kbdb. */
  readonly tools?: readonly Tool[];
  /** Resources besides those of the base. */
  readonly resources?: readonly ResourceSource[];
  /** Prompts besides those of the base. */
  readonly prompts?: readonly PromptSource[];
  /** Checks the state that tools have a client hand back; no tool of kbdb does. */
  readonly requestState?: ServerOptions["requestState"];
}

/** How to make a server. */
export interface McpServerOptions extends ServerExtras {
  /** Version of kbdb. */
  readonly version: string;
  /** Revisions of the connection: `legacy` up to 2025-11-25, `modern` from 2026-07-28 on. */
  readonly era: ProtocolEra;
  /** Who calls: something that differs from key to key; default `""`. */
  readonly owner?: string;
  /** What is remembered of the client; default nothing yet. */
  readonly connection?: Connection;
  /** Whether the client can be told of changes outside of its requests; default yes. */
  readonly canNotify?: boolean;
  /** Called after a tool wrote to the base. */
  readonly onWrite?: () => void;
  /** Called before the client hears that it will be told of a resource. */
  readonly onSubscribe?: () => void | Promise<void>;
  /** Takes what the owner of the process should know, such as faults of kbdb. */
  readonly onDiagnostic?: (text: string) => void;
}

/** How long lists that never change while a server runs may be kept. */
const STATIC = { ttlMs: 60 * 60 * 1_000, cacheScope: "public" } as const;
const VOLATILE = { ttlMs: 0, cacheScope: "private" } as const;

const pageParams = z.looseObject({ cursor: z.string().optional() });
const uriParams = z.looseObject({ uri: z.string() });
const promptParams = z.looseObject({
  name: z.string(),
  arguments: z.record(z.string(), z.string()).optional(),
});
const levelParams = z.looseObject({ level: z.enum(LOG_LEVELS) });

/**
 * Makes the server of one connection, or of one HTTP request.
 *
 * @param kb Open base; it stays open when the server closes.
 * @param options Revisions, tools, listeners.
 */
export function createMcpServer(
  kb: McpBase,
  options: McpServerOptions,
): McpServer {
  const server = new KbdbServer(options);
  const connection = options.connection ?? newConnection();
  const prompts = [basePrompts(kb), ...options.prompts ?? []];
  serveTools(server, {
    kb,
    connection,
    tools: options.tools ?? KBDB_TOOLS,
    version: options.version,
    owner: options.owner ?? "",
    era: options.era,
    onWrite: options.onWrite,
    onDiagnostic: options.onDiagnostic,
  });
  serveResources(server, [baseResources(kb), ...options.resources ?? []]);
  if (options.canNotify ?? true) {
    serveSubscriptions(server, connection.subscribed, options.onSubscribe);
  }
  servePrompts(server, prompts);
  server.server.setRequestHandler(
    "completion/complete",
    { params: completeParams },
    (params) => complete(params, kb, prompts),
  );
  server.server.setRequestHandler(
    "logging/setLevel",
    { params: levelParams },
    ({ level }) => {
      connection.logLevel = level;
      return {};
    },
  );
  server.server.setRequestHandler("roots/list", async () => ({
    roots: [{
      uri: pathToFileURL((await kb.status()).dir).href,
      name: "kbdb database",
    }],
  }));
  return server;
}

/** An MCP server that says "not found" with the code of the connection's revision. */
class KbdbServer extends McpServer {
  readonly #era: ProtocolEra;

  constructor(
    {
      version,
      era,
      requestState,
      tools = KBDB_TOOLS,
      canNotify = true,
    }: McpServerOptions,
  ) {
    // Said either way, as the SDK takes what is left out for true.
    const lists = { listChanged: canNotify };
    super({ name: "kbdb", title: "kbdb", version }, {
      capabilities: {
        tools: lists,
        resources: { subscribe: canNotify, ...lists },
        prompts: lists,
        logging: {},
        completions: {},
      },
      instructions: tools.some(({ name }) => name === "recall")
        ? INSTRUCTIONS
        : KB_INSTRUCTIONS,
      ...(requestState === undefined ? {} : { requestState }),
      cacheHints: {
        "tools/list": STATIC,
        "resources/templates/list": STATIC,
        "prompts/list": VOLATILE,
        "resources/list": VOLATILE,
        "resources/read": VOLATILE,
      },
    });
    this.#era = era;
  }

  override async connect(transport: Transport): Promise<void> {
    if (this.#era === "legacy") {
      // The SDK writes -32602 in every revision; 2025-11-25 has a code of its own for this.
      const send = transport.send.bind(transport);
      transport.send = (message, options) =>
        send(withNotFoundCode(message), options);
    }
    await super.connect(transport);
  }
}

function withNotFoundCode(message: JSONRPCMessage): JSONRPCMessage {
  if (!isJSONRPCErrorResponse(message)) return message;
  const { data } = message.error;
  const isMarked = typeof data === "object" && data !== null &&
    NOT_FOUND in data;
  if (!isMarked) return message;
  const code = ProtocolErrorCode.ResourceNotFound;
  return { ...message, error: { ...message.error, code } };
}

function serveResources(
  { server }: McpServer,
  sources: readonly ResourceSource[],
): void {
  server.setRequestHandler(
    "resources/list",
    { params: pageParams },
    async ({ cursor }) => {
      const pages = await Promise.all(
        sources.map((source) => source.list(cursor)),
      );
      const nextCursor = pages.find((page) => page.nextCursor !== undefined)
        ?.nextCursor;
      return {
        resources: pages.flatMap((page) => page.resources),
        ...(nextCursor === undefined ? {} : { nextCursor }),
      };
    },
  );
  server.setRequestHandler(
    "resources/templates/list",
    { params: pageParams },
    () => ({
      resourceTemplates: sources.flatMap((source) => source.templates),
    }),
  );
  server.setRequestHandler(
    "resources/read",
    { params: uriParams },
    async ({ uri }) => {
      for (const source of sources) {
        const result = await source.read(uri);
        if (result !== undefined) return result;
      }
      throw notFound(`Resource not found: ${uri}`, { uri });
    },
  );
}

function serveSubscriptions(
  { server }: McpServer,
  subscribed: Set<string>,
  onSubscribe: McpServerOptions["onSubscribe"],
): void {
  server.setRequestHandler(
    "resources/subscribe",
    { params: uriParams },
    async ({ uri }) => {
      if (subscribed.size >= LIMITS.subscriptions) {
        throw invalidParams(
          `Cannot subscribe: there are ${subscribed.size} subscriptions, which is the limit`,
        );
      }
      subscribed.add(uri);
      await onSubscribe?.();
      return {};
    },
  );
  server.setRequestHandler(
    "resources/unsubscribe",
    { params: uriParams },
    ({ uri }) => {
      subscribed.delete(uri);
      return {};
    },
  );
}

function servePrompts(
  { server }: McpServer,
  sources: readonly PromptSource[],
): void {
  server.setRequestHandler(
    "prompts/list",
    { params: pageParams },
    async () => {
      const lists = await Promise.all(sources.map((source) => source.list()));
      return { prompts: lists.flat() };
    },
  );
  server.setRequestHandler(
    "prompts/get",
    { params: promptParams },
    async ({ name, arguments: args = {} }, context) => {
      for (const source of sources) {
        const result = await source.get(
          name,
          args,
          context.mcpReq.inputResponses ?? {},
        );
        if (result !== undefined) return result;
      }
      throw notFound(`Prompt not found: ${name}`, { prompt: name });
    },
  );
}
