import {
  createMcpHandler,
  DEFAULT_MAX_REQUEST_BODY_SIZE,
} from "@modelcontextprotocol/server";
import type { McpBase } from "./base.ts";
import { ChangeWatcher } from "./changes.ts";
import { type Connection, newConnection } from "./connection.ts";
import { createMcpServer, type ServerExtras } from "./server.ts";
import { Listens } from "./subscriptions.ts";
import { isReading, openToolSet, type ToolSet } from "./tool_sets.ts";
import { KBDB_TOOLS } from "./tools/mod.ts";
import { VectorMaker } from "./vectors.ts";

/** Marks a caller who is offered only tools that change nothing. */
const READ_ONLY = "read-only";

/** How to serve MCP over HTTP. */
export interface McpHttpOptions {
  /** Version of kbdb. */
  readonly version: string;
  /** Takes what the owner of the process should know. */
  readonly onDiagnostic: (text: string) => void;
  /** Tools; default `"kbdb"`. */
  readonly tools?: ToolSet;
  /** How often changes of other processes are looked for while somebody listens. */
  readonly pollMs?: number;
  /** Least score of a hit where `kb_search` names none. */
  readonly threshold?: number;
  /** Largest file that is taken in parts; default and most is what is indexed. */
  readonly maxUploadBytes?: number;
}

/** Who sends a request. */
export interface McpCaller {
  /** Something that differs from key to key and says nothing of the key; default `""`. */
  readonly owner?: string;
  /** Whether only tools that change nothing are offered; default no. */
  readonly readOnly?: boolean;
}

/** MCP as an HTTP endpoint. It checks neither Host and Origin nor keys: a guard in front does. */
export interface McpHttp extends AsyncDisposable {
  /** Answers one request. */
  fetch(request: Request, caller?: McpCaller): Promise<Response>;
}

/**
 * Serves MCP over Streamable HTTP without sessions, in revisions 2025-11-25 and 2026-07-28.
 *
 * @param kb Open base; it stays open.
 * @param options Version, diagnostics.
 */
export function createMcpHttp(kb: McpBase, options: McpHttpOptions): McpHttp {
  const set = openToolSet(kb, options.tools ?? "kbdb", options);
  const http = createHttp(kb, options, () => ({ tools: set.tools }));
  return {
    fetch: (request, caller) => http.fetch(request, caller),
    async [Symbol.asyncDispose](): Promise<void> {
      await http[Symbol.asyncDispose]();
      await set[Symbol.asyncDispose]();
    },
  };
}

/** Tells clients that a list is another one now. */
export interface ListNotifier {
  /** The tools are others. */
  toolsChanged(): void;
  /** The prompts are others. */
  promptsChanged(): void;
}

/**
 * A 2025 client cannot be held to the level it once set, as there are no sessions, so what is worth
 * knowing is sent. A 2026 client says with each request what it wants to hear.
 */
function newStatelessConnection(): Connection {
  return { ...newConnection(), logLevel: "info" };
}

/** Serves the tools of kbdb and others besides; see {@linkcode createMcpHttp}. */
export function createHttp(
  kb: McpBase,
  { version, onDiagnostic, pollMs }: McpHttpOptions,
  extras: (notifier: ListNotifier) => ServerExtras,
): McpHttp {
  const vectors = new VectorMaker(kb, onDiagnostic);
  const watcher = new ChangeWatcher(kb, {
    onError: (error) => onDiagnostic(`Cannot look for changes: ${error}`),
    ...(pollMs === undefined ? {} : { pollMs }),
  });
  const handler = createMcpHandler(({ era, authInfo }) =>
    createMcpServer(kb, {
      ...offered,
      ...(authInfo?.scopes.includes(READ_ONLY)
        ? { tools: (offered.tools ?? KBDB_TOOLS).filter(isReading) }
        : {}),
      version,
      owner: authInfo?.clientId ?? "",
      era,
      // Without sessions there is no stream on which a 2025 client could be told.
      canNotify: era === "modern",
      connection: newStatelessConnection(),
      onDiagnostic,
      onWrite: () => {
        vectors.wake();
        void watcher.look();
      },
    }), { onerror: (error) => onDiagnostic(`mcp: ${error.message}`) });
  const { notify } = handler;
  const offered = extras(notify);
  let end = () => {};
  const listens = new Listens((isListening) => {
    end();
    if (!isListening) return;
    end = watcher.listen({
      uris: () => listens.uris,
      onUpdated: (uri) => notify.resourceUpdated(uri),
      onDocuments: () => notify.resourcesChanged(),
      onPrompts: () => notify.promptsChanged(),
    });
  }, () => void watcher.look());
  return {
    fetch: (request, { owner = "", readOnly = false } = {}) => {
      // The guard in front has checked the key, which is not handed on.
      const scopes = readOnly ? [READ_ONLY] : [];
      const authInfo = { token: "", clientId: owner, scopes };
      return serve(
        request,
        (request) => handler.fetch(request, { authInfo }),
        listens,
      );
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await handler.close();
      watcher[Symbol.dispose]();
      await vectors[Symbol.asyncDispose]();
    },
  };
}

/** Answers a request; notes what a listening client asks for as long as it listens. */
async function serve(
  request: Request,
  fetch: (request: Request) => Promise<Response>,
  listens: Listens,
): Promise<Response> {
  const isListen = request.method === "POST" &&
    request.headers.get("mcp-method") === "subscriptions/listen" &&
    Number(request.headers.get("content-length") ?? 0) <=
      DEFAULT_MAX_REQUEST_BODY_SIZE;
  if (!isListen) return await fetch(request);
  const copy = request.clone();
  const response = await fetch(request);
  const type = response.headers.get("content-type") ?? "";
  if (!type.startsWith("text/event-stream") || response.body === null) {
    return response;
  }
  const params: unknown = (await copy.json()).params;
  const close = listens.hold(params);
  const body = response.body.pipeThrough(
    new TransformStream({ flush: close, cancel: close }),
  );
  return new Response(body, response);
}
