import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { createInterface } from "node:readline";
import { ROOT } from "./child.ts";

/** A result of the server, and how long it took. */
export interface Timed {
  /** The result. */
  readonly result: unknown;
  /** From writing the request to having read the answer. */
  readonly ms: number;
}

/** What is waited for. */
interface Waiting {
  readonly started: number;
  readonly resolve: (timed: Timed) => void;
  readonly reject: (error: Error) => void;
}

interface Answer {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** `kbdb mcp` in a process of its own, and the least of a client that can talk to it. */
export class McpProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #started: number = performance.now();
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  /** Starts it on a base. */
  constructor(dir: string) {
    const args = ["run", "-P", "cli.ts", "mcp"];
    this.#child = spawn(process.execPath, args, {
      cwd: ROOT,
      stdio: ["pipe", "pipe", "ignore"],
      env: { ...process.env, KBDB_DIR: dir, KBDB_DAEMON: "false" },
    });
    this.#child.on("exit", () => this.#fail("kbdb mcp has ended"));
    const { stdin, stdout } = this.#child;
    if (stdin === null || stdout === null) {
      throw new Error("There are no pipes");
    }
    stdin.on("error", () => this.#fail("kbdb mcp does not read"));
    createInterface({ input: stdout }).on("line", (line) => this.#take(line));
  }

  /**
   * Begins the session.
   *
   * @returns Time from the start of the process to the answer, in ms.
   */
  async initialize(): Promise<number> {
    await this.request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "bench", version: "0.0.0" },
    });
    const ms = performance.now() - this.#started;
    this.#write({ method: "notifications/initialized" });
    return ms;
  }

  /** Asks for something. */
  request(method: string, params: object = {}): Promise<Timed> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const started = performance.now();
      this.#waiting.set(id, { started, resolve, reject });
      this.#write({ id, method, params });
    });
  }

  /**
   * Calls a tool.
   *
   * @returns Time from the request to the answer, in ms.
   * @throws {Error} If the tool answers an error.
   */
  async call(name: string, args: object): Promise<number> {
    const { result, ms } = await this.request("tools/call", {
      name,
      arguments: args,
    });
    if ((result as { isError?: boolean }).isError === true) {
      throw new Error(`${name}: ${JSON.stringify(result)}`);
    }
    return ms;
  }

  /** Ends the input, upon which the process ends. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return;
    this.#child.stdin?.end();
    await once(this.#child, "exit");
  }

  #write(message: object): void {
    const line = JSON.stringify({ jsonrpc: "2.0", ...message });
    this.#child.stdin?.write(`${line}\n`);
  }

  #take(line: string): void {
    const now = performance.now();
    const { id, result, error }: Answer = JSON.parse(line);
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    if (id === undefined || waiting === undefined) return;
    this.#waiting.delete(id);
    if (error !== undefined) waiting.reject(new Error(error.message));
    else waiting.resolve({ result, ms: now - waiting.started });
  }

  #fail(message: string): void {
    for (const { reject } of this.#waiting.values()) reject(new Error(message));
    this.#waiting.clear();
  }
}
