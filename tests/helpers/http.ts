import assert from "node:assert/strict";
import { connect } from "node:net";
import { type App, createApp } from "../../lib/http/app.ts";
import { type KeySource, parseKeys } from "../../lib/http/keys.ts";
import { ROUTES } from "../../lib/http/routes/mod.ts";
import { listen } from "../../lib/http/server.ts";
import type { RequestLog } from "../../lib/http/traffic.ts";
import type { Kb } from "../../lib/kb/mod.ts";
import { createMcpHttp, type ToolSet } from "../../lib/mcp/mod.ts";
import { openTempKb, type TempKb, type TempKbOptions } from "./temp_kb.ts";

/** Keys of a test server that needs some. */
export const KEYS = {
  read: "key-that-reads",
  write: "key-that-writes",
  admin: "key-that-may-all",
} as const;

/** All of {@linkcode KEYS} as the environment gives them. */
export const KEY_TEXT = `${KEYS.read}:read, ${KEYS.write}:write, ${KEYS.admin}`;

/** How to start a server for one test. */
export interface StartOptions {
  /** Keys as the environment gives them; none by default. */
  readonly keys?: string;
  /** Keys of MCP. */
  readonly mcpKeys?: string;
  /** Keys that may change meanwhile. */
  readonly namedKeys?: KeySource;
  readonly allowedHosts?: readonly string[];
  readonly readOnly?: boolean;
  readonly inFlightMax?: number;
  readonly maxUploadBytes?: number;
  readonly threshold?: number;
  readonly tools?: ToolSet;
  /** Whether jobs are worked on; default yes. */
  readonly runsJobs?: boolean;
  readonly base?: TempKbOptions;
  /** Port; any by default. */
  readonly port?: number;
  /** Version the server says it has; default `0.0.0`. */
  readonly version?: string;
}

/** What a test sends. */
export interface CallOptions {
  /** Body that is sent as JSON. */
  readonly json?: unknown;
  readonly body?: BodyInit;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a server answered. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // deno-lint-ignore no-explicit-any -- tests look into answers of every shape
  readonly json: any;
}

/** A server for one test. */
export interface TestServer extends AsyncDisposable {
  readonly kb: Kb;
  readonly temp: TempKb;
  readonly app: App;
  readonly port: number;
  readonly url: string;
  /** Faults the server told of. */
  readonly errors: readonly unknown[];
  /** Requests it noted. */
  readonly log: readonly RequestLog[];
  /** Listens no more; the base stays open. */
  stop(): Promise<void>;
  /** Sends a request. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Submits a form as a job and waits until the job is over. */
  // deno-lint-ignore no-explicit-any -- tests look into jobs
  ingest(fields: Readonly<Record<string, string | File>>): Promise<any>;
}

/** Starts a server on a base of its own; both end with the scope. */
export async function startServer(
  options: StartOptions = {},
): Promise<TestServer> {
  const { runsJobs = true, readOnly = false, threshold, version = "0.0.0" } =
    options;
  const temp = openTempKb(options.base ?? {});
  const { kb } = temp;
  const errors: unknown[] = [];
  const log: RequestLog[] = [];
  const mcp = createMcpHttp(kb, {
    version,
    tools: options.tools ?? "kbdb",
    ...(options.maxUploadBytes === undefined
      ? {}
      : { maxUploadBytes: options.maxUploadBytes }),
    ...(threshold === undefined ? {} : { threshold }),
    onDiagnostic: (text) => errors.push(text),
  });
  const keys = parseKeys(options.keys ?? "", "KB_API_KEY");
  const app = createApp(kb, {
    keys,
    mcpKeys: parseKeys(options.mcpKeys ?? "", "KB_MCP_API_KEY"),
    ...(options.namedKeys === undefined
      ? {}
      : { namedKeys: options.namedKeys }),
    readOnly,
    allowedHosts: options.allowedHosts ?? [],
    ...(options.inFlightMax === undefined
      ? {}
      : { inFlightMax: options.inFlightMax }),
    settings: {
      version,
      readOnly,
      maxUploadBytes: options.maxUploadBytes ?? 1024 * 1024,
      ...(threshold === undefined ? {} : { threshold }),
    },
    mcp: (request, { scope, owner }) =>
      mcp.fetch(request, { owner, readOnly: scope === "read" }),
    onError: (error) => errors.push(error),
    onRequest: (entry) => log.push(entry),
  });
  const listening = await listen(app, {
    port: options.port ?? 0,
    hasKeys: keys.length > 0,
  });
  if (runsJobs) kb.jobs.start((error) => errors.push(error));
  const url = `http://127.0.0.1:${listening.port}`;
  async function call(
    method: string,
    path: string,
    { json, body, key, headers = {} }: CallOptions = {},
  ): Promise<Answer> {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(json === undefined ? {} : { "Content-Type": "application/json" }),
        ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
        ...headers,
      },
      ...(json !== undefined
        ? { body: JSON.stringify(json) }
        : body !== undefined
        ? { body }
        : {}),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith(
      "application/json",
    );
    const answer = isJson && text !== "" ? JSON.parse(text) : undefined;
    if (response.ok) assertDescribed(method, path, response.status, answer);
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: answer,
    };
  }
  return {
    kb,
    temp,
    app,
    port: listening.port,
    url,
    errors,
    log,
    stop: () => listening.stop(),
    call,
    async ingest(fields) {
      const { status, json } = await call("POST", "/api/v1/jobs", {
        body: toForm(fields),
      });
      assert.equal(status, 202, JSON.stringify(json));
      for (;;) {
        const job = (await call("GET", `/api/v1/jobs/${json.id}`)).json;
        if (!["queued", "processing"].includes(job.status)) return job;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    async [Symbol.asyncDispose](): Promise<void> {
      app.drain();
      await listening[Symbol.asyncDispose]();
      await mcp[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
      await temp[Symbol.asyncDispose]();
    },
  };
}

/** Asserts that an answer is what the reference says of the route, no more and no less. */
function assertDescribed(
  method: string,
  path: string,
  status: number,
  answer: unknown,
): void {
  const route = ROUTES.find((route) =>
    route.method === method &&
    new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, "[^/?]+")}(\\?.*)?$`)
      .test(path)
  );
  if (route === undefined) return;
  const name = `${method} ${path}`;
  assert.equal(status, route.answer.status, name);
  if (route.answer.schema !== undefined) {
    assert.deepEqual(route.answer.schema.parse(answer), answer, name);
  }
}

/** Makes a form. */
export function toForm(
  fields: Readonly<Record<string, string | File>>,
): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}

/** Sends bytes as they are and answers what came back until the server closes, pauses, or 2 s have gone. */
export function sendRaw(
  port: number,
  text: string,
  { pauseMs = 150 }: { readonly pauseMs?: number } = {},
): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let received = "";
    let timer = setTimeout(end, 2_000);
    function end(): void {
      clearTimeout(timer);
      socket.destroy();
      resolve(received);
    }
    socket.on("connect", () => socket.write(text, "latin1"));
    socket.on("data", (bytes) => {
      received += bytes.toString("latin1");
      clearTimeout(timer);
      timer = setTimeout(end, pauseMs);
    });
    socket.on("error", end);
    socket.on("close", end);
  });
}

/** Status of a raw answer; 0 if there was none. */
export function statusOf(raw: string): number {
  return Number(/^HTTP\/1\.[01] (\d{3})/.exec(raw)?.[1] ?? 0);
}
