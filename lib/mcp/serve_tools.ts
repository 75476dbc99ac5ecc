import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  isInputRequiredResult,
  LOG_LEVEL_META_KEY,
  type McpServer,
  type Notification,
  type ProtocolEra,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { KbError } from "../core/mod.ts";
import { findNearest } from "./arguments.ts";
import type { McpBase } from "./base.ts";
import type { Connection } from "./connection.ts";
import { describeKbError } from "./errors.ts";
import { isWanted, LOG_LEVELS, toLogNotification } from "./logging.ts";
import { toErrorResult, type Tool, type ToolCall } from "./tool.ts";

/** What the tools of a server work with. */
export interface ToolService {
  /** The base. */
  readonly kb: McpBase;
  /** The client. */
  readonly connection: Connection;
  /** The tools in the order they are listed. */
  readonly tools: readonly Tool[];
  /** Version of kbdb. */
  readonly version: string;
  /** Who calls, see {@linkcode ToolCall.owner}. */
  readonly owner: string;
  /** Revisions of the connection. */
  readonly era: ProtocolEra;
  /** Called after a tool wrote to the base. */
  readonly onWrite: (() => void) | undefined;
  /** Takes faults of kbdb with their stack. */
  readonly onDiagnostic: ((text: string) => void) | undefined;
}

const listParams = z.looseObject({});
const callParams = z.looseObject({
  name: z.string(),
  arguments: z.unknown().optional(),
});

/** What a 2026-07-28 client says with each request. */
const envelopeSchema = z.looseObject({
  [CLIENT_CAPABILITIES_META_KEY]: z.looseObject({
    sampling: z.looseObject({}).optional(),
  }).optional().catch(undefined),
  [LOG_LEVEL_META_KEY]: z.enum(LOG_LEVELS).optional().catch(undefined),
});

/** Has a server list and call tools. */
export function serveTools({ server }: McpServer, service: ToolService): void {
  const byName = new Map(service.tools.map((tool) => [tool.name, tool]));
  server.setRequestHandler(
    "tools/list",
    { params: listParams },
    () => ({ tools: service.tools.map((tool) => tool.describe()) }),
  );
  server.setRequestHandler(
    "tools/call",
    { params: callParams },
    async ({ name, arguments: args }, context) => {
      const tool = byName.get(name);
      if (tool === undefined) return describeUnknownTool(name, service.tools);
      const call = toCall(server, service, context);
      const result = await run(tool, args, call, service);
      return isInputRequiredResult(result)
        ? result
        : server.projectCallToolResult(result, tool.describe().outputSchema);
    },
  );
}

async function run(
  tool: Tool,
  args: unknown,
  call: ToolCall,
  { kb, onDiagnostic }: ToolService,
): Promise<CallToolResult | InputRequiredResult> {
  const started = performance.now();
  try {
    return await tool.call(args, call);
  } catch (error) {
    if (error instanceof KbError) {
      return toErrorResult(await describeKbError(kb, error));
    }
    // A fault of kbdb: the agent learns that much, the owner all of it.
    const message = error instanceof Error ? error.message : String(error);
    const stack = error instanceof Error ? error.stack ?? message : message;
    onDiagnostic?.(`${tool.name} failed, this is a bug\n${stack}`);
    call.log("error", `${tool.name} failed: ${message}`);
    return toErrorResult(`${tool.name} failed (internal error): ${message}`);
  } finally {
    const elapsedMs = Math.round(performance.now() - started);
    call.log("debug", `${tool.name} took ${elapsedMs} ms`);
  }
}

function describeUnknownTool(
  name: string,
  tools: readonly Tool[],
): CallToolResult {
  const names = tools.map((tool) => tool.name);
  const nearest = findNearest(name, names);
  return toErrorResult(
    `Unknown tool: ${name.slice(0, 60)}. ${
      nearest === undefined ? "" : `Did you mean "${nearest}"? `
    }Tools: ${names.join(", ")}.`,
  );
}

function toCall(
  server: McpServer["server"],
  { kb, connection, version, owner, era, onWrite, onDiagnostic }: ToolService,
  { mcpReq }: ServerContext,
): ToolCall {
  const progressToken = mcpReq._meta?.progressToken;
  const isModern = era === "modern";
  const envelope = envelopeSchema.parse({ ...mcpReq.envelope });
  const capabilities = isModern
    ? envelope[CLIENT_CAPABILITIES_META_KEY]
    : server.getClientCapabilities();
  const logLevel = envelope[LOG_LEVEL_META_KEY];
  /** Telling must not fail the work: a client may be gone by now. */
  function notify(notification: Notification): void {
    if (mcpReq.signal.aborted) return;
    mcpReq.notify(notification).catch((error: unknown) =>
      onDiagnostic?.(`Cannot notify the client: ${error}`)
    );
  }
  let told = -1;
  return {
    kb,
    version,
    owner,
    signal: mcpReq.signal,
    inputs: mcpReq.inputResponses ?? {},
    canSample: capabilities?.sampling !== undefined,
    log(level, text): void {
      // A 2025 client may change its mind while the tool runs.
      const threshold = isModern ? logLevel : connection.logLevel;
      if (isWanted(level, threshold)) notify(toLogNotification(level, text));
    },
    progress(done, total, message): void {
      // Progress must rise with each notification.
      if (progressToken === undefined || done <= told) return;
      told = done;
      notify({
        method: "notifications/progress",
        params: { progressToken, progress: done, total, message },
      });
    },
    wrote(): void {
      onWrite?.();
    },
  };
}
