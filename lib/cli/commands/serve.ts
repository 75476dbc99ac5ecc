import { setTimeout } from "node:timers";
import {
  type App,
  createApp,
  type GuardOptions,
  listen,
  type Listening,
  MCP_PATH,
  parseKeys,
  type RequestLog,
  type ServerKey,
} from "../../http/mod.ts";
import { openApiKeys } from "../../kb/mod.ts";
import { createMcpHttp, type McpHttp, type ToolSet } from "../../mcp/mod.ts";
import { findBaseDir } from "../base_dir.ts";
import type { CliIo, GlobalOptions } from "../io.ts";
import { tellingQueries } from "../query_log.ts";
import { refuseElsewhere, watchRemembered } from "./watch.ts";
import { findEngineUrl, openRemote } from "../remote.ts";
import { openHere, readSettings } from "../session.ts";
import type { Resolved, Sources } from "../settings/resolve.ts";
import {
  ALLOWED_HOSTS,
  API_KEYS,
  HOST,
  LOG_QUERIES,
  LOG_REQUESTS,
  MAX_UPLOAD,
  MCP_API_KEYS,
  MCP_PORT,
  PORT,
  READ_ONLY,
  SEARCH_THRESHOLD,
  TOOLS,
} from "../settings/table.ts";

/** Options of `kbdb serve`. */
export interface ServeOptions extends GlobalOptions {
  /** Address. */
  readonly host?: string;
  /** Port; 0 takes any that is free. */
  readonly port?: number;
  /** Port that answers MCP only. */
  readonly mcpPort?: number;
  /** Whether everything that writes is refused. */
  readonly readOnly?: true;
  /** Tools of MCP. */
  readonly tools?: ToolSet;
  /** Largest upload, in bytes. */
  readonly maxUpload?: number;
  /** Whether the folders that were synced are watched. */
  readonly watch?: true;
  /** Whether requests are logged. */
  readonly log: boolean;
  /** Whether queries are logged. */
  readonly logQueries?: true;
}

/** What is answered where only MCP is. */
const MCP_PATHS: readonly string[] = [MCP_PATH, "/health"];
/** Where MCP is answered in front of another engine. */
const PROXY_PORT = 3000;
/** How often changes of an engine elsewhere are looked for. */
const REMOTE_POLL_MS = 2_000;
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
  const settings = await readSettings(io, options);
  const host = settings.get(HOST, options.host).value;
  const readOnly = settings.get(READ_ONLY, options.readOnly).value;
  const isLogging =
    settings.get(LOG_REQUESTS, options.log ? undefined : false).value;
  const threshold = settings.get(SEARCH_THRESHOLD).value;
  const maxUploadBytes = settings.get(MAX_UPLOAD, options.maxUpload).value;
  if (options.watch === true) await refuseElsewhere(io, options);
  const remote = await openRemote(io, options);
  const { port, mcpPort } = toPorts(
    settings.get(PORT, options.port),
    settings.get(MCP_PORT, options.mcpPort).value,
    remote !== undefined,
  );
  const opened = remote ?? await openHere(io, options, { isNew: !readOnly });
  const kb = settings.get(LOG_QUERIES, options.logQueries).value
    ? tellingQueries(opened, (query) => logLine(io, { query }))
    : opened;
  try {
    // In front of another engine KB_API_KEY is the key of that one, and only MCP is answered.
    using namedKeys = remote === undefined
      ? openApiKeys(findBaseDir(io, options.db), { readOnly, busyTimeoutMs: 0 })
      : undefined;
    const guard = {
      ...toGuard(settings, { readOnly, isProxy: remote !== undefined }),
      ...(namedKeys === undefined ? {} : { namedKeys }),
    };
    const hasKeys = guard.keys.length > 0 ||
      (namedKeys?.read().length ?? 0) > 0;
    const paths = remote === undefined ? {} : { paths: MCP_PATHS };
    await using mcp = createMcpHttp(kb, {
      version,
      tools: settings.get(TOOLS, options.tools).value ?? "kb",
      maxUploadBytes,
      ...(threshold === undefined ? {} : { threshold }),
      onDiagnostic: (text) => tell(io, text),
      ...(remote === undefined ? {} : { pollMs: REMOTE_POLL_MS }),
    });
    await using app = createApp(kb, {
      ...guard,
      mcp: (request, { scope, owner }) =>
        mcp.fetch(request, { owner, readOnly: scope === "read" }),
      settings: {
        version,
        readOnly,
        maxUploadBytes,
        ...(threshold === undefined ? {} : { threshold }),
      },
      ...(io.readResidentBytes === undefined
        ? {}
        : { readResidentBytes: io.readResidentBytes }),
      onError: (error, requestId) => logError(io, error, requestId),
      ...(isLogging ? { onRequest: (entry) => logRequest(io, entry) } : {}),
    });
    await using listening = await listen(app, {
      host,
      port,
      hasKeys,
      ...paths,
    });
    if (!readOnly) await kb.jobs.start((error) => logError(io, error, "jobs"));
    await using mcpListening = mcpPort === undefined
      ? undefined
      : await listen(app, {
        host,
        port: mcpPort,
        hasKeys,
        paths: MCP_PATHS,
      });
    const address = `http://${bracketed(host)}`;
    if (mcpListening !== undefined) {
      tell(io, `MCP alone on ${address}:${mcpListening.port}${MCP_PATH}`);
    }
    if (remote !== undefined) {
      const url = await findEngineUrl(io, options);
      tell(io, `MCP only, in front of the engine at ${url?.value}`);
    }
    tell(io, `listening on ${address}:${listening.port}`);
    const watching = options.watch === true
      ? watchRemembered(kb, io.signal, (text) => tell(io, text))
      : undefined;
    await untilAborted(io.signal);
    setTimeout(() => io.exit?.(0), EXIT_MS).unref();
    const open = [listening, ...(mcpListening ? [mcpListening] : [])];
    await stop(app, open, mcp);
    await watching;
  } finally {
    await kb.close();
  }
  tell(io, "stopped");
  return 0;
}

/** In front of another engine, which may have the default port of this machine, one port for MCP is enough. */
function toPorts(
  port: Resolved<number>,
  mcpPort: number | undefined,
  isProxy: boolean,
): { port: number; mcpPort: number | undefined } {
  return isProxy && port.source === "default"
    ? { port: mcpPort ?? PROXY_PORT, mcpPort: undefined }
    : { port: port.value, mcpPort };
}

/** Takes no more requests, lets those at hand end, then what would never end by itself. */
async function stop(
  app: App,
  open: readonly Listening[],
  mcp: McpHttp,
): Promise<void> {
  app.drain();
  const stopped = Promise.all(open.map((listening) => listening.stop()));
  let timer: ReturnType<typeof setTimeout> | undefined;
  const grace = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, MCP_GRACE_MS);
  });
  await Promise.race([stopped, grace]);
  clearTimeout(timer);
  await mcp[Symbol.asyncDispose]();
  await stopped;
}

function toGuard(
  settings: Sources,
  { readOnly, isProxy }: {
    readonly readOnly: boolean;
    readonly isProxy: boolean;
  },
): GuardOptions {
  return {
    keys: toKeys(settings.get(isProxy ? MCP_API_KEYS : API_KEYS)),
    mcpKeys: toKeys(settings.get(MCP_API_KEYS)),
    allowedHosts: settings.get(ALLOWED_HOSTS).value,
    readOnly,
  };
}

function toKeys({ value, from }: Resolved<readonly string[]>): ServerKey[] {
  return parseKeys(value.join(","), from);
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
  logLine(io, { ...entry, ms: Math.round(ms) });
}

function logLine(io: CliIo, entry: Readonly<Record<string, unknown>>): void {
  const time = new Date().toISOString();
  io.err.write(JSON.stringify({ time, ...entry }) + "\n");
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
