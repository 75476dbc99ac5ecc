import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";

/** Most time anything may take before a test gives up on it. */
export const GUARD_MS = 10_000;

const CLI = fileURLToPath(new URL("../../cli.ts", import.meta.url));

/** A JSON-RPC message as it came in. */
export interface WireMessage {
  readonly jsonrpc: "2.0";
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  // deno-lint-ignore no-explicit-any -- tests look into answers of every shape
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string };
}

/** How a process ended. */
export interface Exit {
  readonly code: number;
  readonly signal: string | null;
  /** Time from being told to end. */
  readonly elapsedMs: number;
}

/** How to start `kbdb mcp` on a base, for what starts a process with no environment but what it is given. */
export function mcpCommand(
  dir: string,
): {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
} {
  return {
    command: Deno.execPath(),
    // Where packages are cached and fetched from may stand in any variable.
    env: {
      ...Deno.env.toObject(),
      DENO_NO_UPDATE_CHECK: "1",
      KBDB_DAEMON: "false",
    },
    args: [
      "run",
      "--quiet",
      "--no-check",
      "--no-lock",
      "--allow-read",
      "--allow-write",
      "--allow-env",
      "--allow-sys",
      CLI,
      "mcp",
      "--db",
      dir,
    ],
  };
}

/** The `kbdb mcp` command in a process of its own, spoken to line by line. */
export class McpProcess implements AsyncDisposable {
  /** Every line on standard output. */
  readonly lines: string[] = [];
  /** The lines that are JSON. */
  readonly messages: WireMessage[] = [];
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #streams: Promise<unknown>;
  readonly #waiting = new Set<() => void>();
  #stderr = "";
  #lastId = 0;
  #hasEnded = false;

  private constructor(child: Deno.ChildProcess) {
    this.#child = child;
    this.#writer = child.stdin.getWriter();
    this.#streams = Promise.all([
      this.#readOutput(child.stdout),
      this.#readErrors(child.stderr),
    ]);
  }

  /** Starts the command. */
  static start(
    dir: string,
    env: Readonly<Record<string, string>> = {},
  ): McpProcess {
    const { command, args } = mcpCommand(dir);
    return new McpProcess(
      new Deno.Command(command, {
        args,
        env: { DENO_NO_UPDATE_CHECK: "1", KBDB_DAEMON: "false", ...env },
        stdin: "piped",
        stdout: "piped",
        stderr: "piped",
      }).spawn(),
    );
  }

  /** Starts the command and shakes hands in revision 2025-11-25. */
  static async connect(
    dir: string,
    env: Readonly<Record<string, string>> = {},
  ): Promise<McpProcess> {
    const mcp = McpProcess.start(dir, env);
    await mcp.initialize();
    return mcp;
  }

  /** Everything on standard error so far. */
  get stderr(): string {
    return this.#stderr;
  }

  /** Shakes hands in revision 2025-11-25. */
  async initialize(): Promise<WireMessage> {
    const answer = await this.request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "test", version: "0.0.0" },
    });
    await this.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    return answer;
  }

  /** Sends a message, or a text as it is with a line break after it. */
  async send(message: object | string): Promise<void> {
    const line = typeof message === "string"
      ? message
      : JSON.stringify(message);
    await this.#writer.write(new TextEncoder().encode(line + "\n"));
  }

  /** Sends a request and waits for its answer. */
  async request(
    method: string,
    params: Readonly<Record<string, unknown>> = {},
  ): Promise<WireMessage> {
    const id = ++this.#lastId;
    await this.send({ jsonrpc: "2.0", id, method, params });
    return this.receive((message) => message.id === id);
  }

  /** Calls a tool that must succeed and reads its JSON. */
  async callJson(
    name: string,
    args: Readonly<Record<string, unknown>> = {},
    // deno-lint-ignore no-explicit-any -- tests look into answers of every shape
  ): Promise<any> {
    const { result } = await this.request("tools/call", {
      name,
      arguments: args,
    });
    const text = result?.content[0].text;
    assert.notEqual(result?.isError, true, text);
    return JSON.parse(text);
  }

  /** Waits for a message, which may have come already. */
  async receive(
    isWanted: (message: WireMessage) => boolean,
  ): Promise<WireMessage> {
    const end = performance.now() + GUARD_MS;
    for (;;) {
      const found = this.messages.find(isWanted);
      if (found !== undefined) return found;
      const leftMs = end - performance.now();
      if (leftMs <= 0 || this.#hasEnded) {
        assert.fail(`no such message; standard error: ${this.#stderr}`);
      }
      await this.#news(leftMs);
    }
  }

  /** Ends the process by the end of its input, or by a signal. */
  async end(how: "input" | Deno.Signal): Promise<Exit> {
    const started = performance.now();
    if (how === "input") await this.#writer.close();
    else this.#child.kill(how);
    const guard = setTimeout(() => this.#child.kill("SIGKILL"), GUARD_MS);
    const { code, signal } = await this.#child.status;
    const elapsedMs = Math.round(performance.now() - started);
    clearTimeout(guard);
    await this.#streams;
    return { code, signal, elapsedMs };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A process that has ended already cannot be killed, nor its input be closed.
    try {
      this.#child.kill("SIGKILL");
    } catch { /* it has ended */ }
    await this.#writer.close().catch(() => {});
    await this.#child.status;
    await this.#streams;
  }

  /** Waits for a message, the end of the process or the time. */
  async #news(timeoutMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    const timer = setTimeout(resolve, timeoutMs);
    await promise;
    clearTimeout(timer);
    this.#waiting.delete(resolve);
  }

  #tell(): void {
    for (const resolve of this.#waiting) resolve();
  }

  async #readOutput(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const part of stream) {
      const lines = (rest + decoder.decode(part, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#note(line);
      this.#tell();
    }
    if (rest !== "") this.lines.push(rest);
    this.#hasEnded = true;
    this.#tell();
  }

  #note(line: string): void {
    this.lines.push(line);
    try {
      this.messages.push(JSON.parse(line));
    } catch { /* a test finds it among the lines */ }
  }

  async #readErrors(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const part of stream) {
      this.#stderr += decoder.decode(part, { stream: true });
    }
  }
}
