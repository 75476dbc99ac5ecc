import type { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { McpBase } from "./base.ts";
import { ChangeWatcher } from "./changes.ts";
import { isWanted, toLogNotification } from "./logging.ts";
import { createMcpServer, type ServerExtras } from "./server.ts";
import { type Connection, newConnection } from "./connection.ts";
import { Listens } from "./subscriptions.ts";
import { type LineSink, LineTransport } from "./transport.ts";
import { openToolSet, type ToolSet } from "./tool_sets.ts";
import { VectorMaker } from "./vectors.ts";

/** How to serve one client over two streams. */
export interface ServeStdioOptions {
  /** Version of kbdb. */
  readonly version: string;
  /** Where requests come from; the connection ends when it ends. */
  readonly input: AsyncIterable<string | Uint8Array>;
  /** Where answers go, and nothing else. */
  readonly output: LineSink;
  /** Ends the connection. */
  readonly signal: AbortSignal;
  /** Takes what the owner of the process should know. */
  readonly onDiagnostic: (text: string) => void;
  /** Tools; default `"kbdb"`. */
  readonly tools?: ToolSet;
  /** Whether the model is loaded ahead of the first search; default yes. */
  readonly isWarmedUp?: boolean;
  /** How often changes of other processes are looked for. */
  readonly pollMs?: number;
}

/** How long after the first message the model is loaded, so that the answer goes out before. */
const WARM_UP_MS = 50;

/**
 * Serves MCP over two streams, in revision 2025-11-25 or 2026-07-28 as the client begins.
 *
 * @param kb Open base; it stays open.
 * @returns When the client has gone or `signal` aborts; nothing works in the background any more.
 */
export async function serveMcpStdio(
  kb: McpBase,
  options: ServeStdioOptions,
): Promise<void> {
  const { tools = "kbdb", onDiagnostic } = options;
  await using set = openToolSet(kb, tools);
  if (tools !== "kbdb") {
    // The kb_ tools queue what they add.
    await kb.jobs.start((error) =>
      onDiagnostic(`Cannot look for jobs: ${error}`)
    );
  }
  await serveStreams(kb, options, { tools: set.tools });
}

/** Serves the tools of kbdb and others besides; see {@linkcode serveMcpStdio}. */
export async function serveStreams(
  kb: McpBase,
  options: ServeStdioOptions,
  extras: ServerExtras,
): Promise<void> {
  const { onDiagnostic, signal, pollMs } = options;
  const connection = newConnection();
  let server: McpServer | undefined;
  await using vectors = new VectorMaker(kb, (text) => {
    onDiagnostic(text);
    tell(server, connection, text);
  });
  using _jobs = kb.jobs.onChange(({ status }) => {
    if (status === "done") vectors.wake();
  });
  using watcher = new ChangeWatcher(kb, {
    onError: (error) => onDiagnostic(`Cannot look for changes: ${error}`),
    ...(pollMs === undefined ? {} : { pollMs }),
  });
  const watch = new Watch(watcher, () => server);
  // How a resource stands is noted when it is asked for, lest a change before the next look is missed.
  const listens = new Listens(
    (isListening) =>
      isListening ? watch.begin(() => listens.uris) : watch.end(),
    () => void watcher.look(),
  );
  const transport = new LineTransport(options.input, options.output, {
    onInbound: (message) => listens.observe(message),
  });
  await using warmth = new Warmth(kb, vectors, onDiagnostic);
  const handle = serveStdio(({ era }) => {
    server = createMcpServer(kb, {
      ...extras,
      version: options.version,
      onDiagnostic,
      era,
      connection,
      onWrite: () => {
        vectors.wake();
        void watcher.look();
      },
      onSubscribe: () => watcher.look(),
    });
    server.server.oninitialized = () =>
      watch.begin(() => connection.subscribed);
    if (options.isWarmedUp !== false) warmth.begin();
    return server;
  }, {
    transport,
    onerror: (error) => onDiagnostic(`mcp: ${error.message}`),
  });
  function stop(): void {
    handle.close().catch((error: unknown) =>
      onDiagnostic(`mcp: cannot close the connection: ${error}`)
    );
  }
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  await transport.closed;
  signal.removeEventListener("abort", stop);
  watch.end();
}

/** Tells a 2025 client of a problem in the background; a 2026 one can only be told on request. */
function tell(
  server: McpServer | undefined,
  { logLevel }: Connection,
  text: string,
): void {
  if (server?.isConnected() !== true || !isWanted("error", logLevel)) return;
  // The client may go at any moment, which is no problem of its own.
  server.server.notification(toLogNotification("error", text)).catch(() => {});
}

/** The one listener of a connection. */
class Watch {
  readonly #watcher: ChangeWatcher;
  readonly #server: () => McpServer | undefined;
  #end: (() => void) | undefined;

  constructor(watcher: ChangeWatcher, server: () => McpServer | undefined) {
    this.#watcher = watcher;
    this.#server = server;
  }

  begin(uris: () => Iterable<string>): void {
    this.end();
    this.#end = this.#watcher.listen({
      uris,
      onUpdated: (uri) =>
        this.#send((server) => server.server.sendResourceUpdated({ uri })),
      onDocuments: () =>
        this.#send((server) => server.server.sendResourceListChanged()),
      onPrompts: () =>
        this.#send((server) => server.server.sendPromptListChanged()),
    });
  }

  end(): void {
    this.#end?.();
    this.#end = undefined;
  }

  #send(notify: (server: McpServer) => Promise<void>): void {
    const server = this.#server();
    // A client that has just gone needs no news.
    if (server?.isConnected() === true) notify(server).catch(() => {});
  }
}

/** Loads the model once, and makes the vectors that an earlier process left over. */
class Warmth implements AsyncDisposable {
  readonly #kb: McpBase;
  readonly #vectors: VectorMaker;
  readonly #onDiagnostic: (text: string) => void;
  readonly #stopping = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #work: Promise<void> | undefined;

  constructor(
    kb: McpBase,
    vectors: VectorMaker,
    onDiagnostic: (text: string) => void,
  ) {
    this.#kb = kb;
    this.#vectors = vectors;
    this.#onDiagnostic = onDiagnostic;
  }

  begin(): void {
    this.#timer ??= setTimeout(() => {
      this.#work = this.#warmUp();
    }, WARM_UP_MS);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    this.#stopping.abort();
    await this.#work;
  }

  async #warmUp(): Promise<void> {
    const { signal } = this.#stopping;
    try {
      const { vectors } = await this.#kb.status();
      if (vectors.pendingChunks > 0) this.#vectors.wake();
      await this.#kb.search("warm up", { limit: 1, signal });
    } catch (error) {
      if (!signal.aborted) {
        this.#onDiagnostic(`Cannot load the model yet: ${error}`);
      }
    }
  }
}
