import { setTimeout } from "node:timers";
import { KbError, LIMITS } from "../../core/mod.ts";
import {
  type App,
  createApp,
  type GuardOptions,
  listen,
  type Listening,
  parseHosts,
  parseKeys,
  type RequestLog,
} from "../../http/mod.ts";
import { createMcpHttp, type McpHttp, type ToolSet } from "../../mcp/mod.ts";
import type { CliIo, GlobalOptions } from "../io.ts";
import { openForReading, openForWriting } from "../session.ts";

/** Options of `kbdb serve`. */
export interface ServeOptions extends GlobalOptions {
  /** Address. */
  readonly host: string;
  /** Port; 0 takes any that is free. */
  readonly port: number;
  /** Whether everything that writes is refused. */
  readonly readOnly?: boolean;
  /** Tools of MCP. */
  readonly tools: ToolSet;
  /** Whether requests are logged. */
  readonly log: boolean;
}

/** Most time from a signal to the end of the process, whatever is still at work. */
const EXIT_MS = 9_000;
/** How long MCP calls under way may go on after a signal. */
const MCP_GRACE_MS = 4_000;

/** Serves a base over HTTP, and by MCP at `/mcp`, until it is told to stop. */
export async function serve(
  io: CliIo,
  version: string,
  options: ServeOptions,
): Promise<number> {
  const { host, port, readOnly = false } = options;
  const guard = readGuard(io, readOnly);
  const threshold = readThreshold(io);
  const kb = readOnly
    ? openForReading(io, options)
    : openForWriting(io, options);
  try {
    await using mcp = createMcpHttp(kb, {
      version,
      tools: options.tools,
      ...(threshold === undefined ? {} : { threshold }),
      onDiagnostic: (text) => tell(io, text),
    });
    await using app = createApp(kb, {
      ...guard,
      mcp: (request, { scope, owner }) =>
        mcp.fetch(request, { owner, readOnly: scope === "read" }),
      settings: {
        version,
        readOnly,
        maxUploadBytes: LIMITS.uploadBytes,
        ...(threshold === undefined ? {} : { threshold }),
      },
      onError: (error, requestId) => logError(io, error, requestId),
      ...(options.log ? { onRequest: (entry) => logRequest(io, entry) } : {}),
    });
    await using listening = await listen(app, {
      host,
      port,
      hasKeys: guard.keys.length > 0,
    });
    if (!readOnly) kb.jobs.start((error) => logError(io, error, "jobs"));
    tell(io, `listening on http://${bracketed(host)}:${listening.port}`);
    await untilAborted(io.signal);
    setTimeout(() => io.exit?.(0), EXIT_MS).unref();
    await stop(app, listening, mcp);
  } finally {
    await kb.close();
  }
  tell(io, "stopped");
  return 0;
}

/** Takes no more requests, lets those at hand end, then what would never end by itself. */
async function stop(
  app: App,
  listening: Listening,
  mcp: McpHttp,
): Promise<void> {
  app.drain();
  const stopped = listening.stop();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const grace = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, MCP_GRACE_MS);
  });
  await Promise.race([stopped, grace]);
  clearTimeout(timer);
  await mcp[Symbol.asyncDispose]();
  await stopped;
}

function readGuard({ env }: CliIo, readOnly: boolean): GuardOptions {
  return {
    keys: parseKeys(env["KB_API_KEY"] ?? "", "KB_API_KEY"),
    mcpKeys: parseKeys(env["KB_MCP_API_KEY"] ?? "", "KB_MCP_API_KEY"),
    allowedHosts: parseHosts(env["KB_MCP_ALLOWED_HOSTS"] ?? ""),
    readOnly,
  };
}

function readThreshold({ env }: CliIo): number | undefined {
  const text = env["KB_SEARCH_THRESHOLD"] ?? "";
  if (text.trim() === "") return undefined;
  const threshold = Number(text);
  if (threshold >= 0 && threshold <= 1) return threshold;
  throw new KbError(
    "invalid_input",
    `Cannot use KB_SEARCH_THRESHOLD: it is "${text}", must be a number from 0 to 1`,
  );
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function bracketed(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}

/** One line of JSON a request: nothing it asked for, and no key. */
function logRequest(io: CliIo, { ms, ...entry }: RequestLog): void {
  io.err.write(
    JSON.stringify({
      time: new Date().toISOString(),
      ...entry,
      ms: Math.round(ms),
    }) + "\n",
  );
}

function logError(io: CliIo, error: unknown, requestId: string): void {
  const text = error instanceof Error
    ? error.stack ?? error.message
    : String(error);
  tell(io, `fault in ${requestId}: ${text}`);
}

function tell(io: CliIo, text: string): void {
  io.err.write(`kbdb serve: ${text}\n`);
}
