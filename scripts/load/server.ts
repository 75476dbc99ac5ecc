import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { LIMITS } from "../../lib/core/mod.ts";
import { ROOT } from "../bench/child.ts";

/** Key of the server. */
const KEY = "key-of-the-load-test";
/** A request that takes longer counts as one without an answer. */
export const ANSWER_MS = 120_000;

/** Main memory of a process. */
export interface Memory {
  /** What it has. */
  readonly bytes: number;
  /** Most it had since {@linkcode ServeProcess.forgetPeak}. */
  readonly peakBytes: number;
}

/** `kbdb serve` in a process of its own, on a port that was free. */
export class ServeProcess implements AsyncDisposable {
  /** Port it listens on. */
  readonly port: number;
  /** Headers every request needs. */
  readonly headers: Readonly<Record<string, string>> = {
    Authorization: `Bearer ${KEY}`,
  };
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  /**
   * Starts it on a base and waits until it listens.
   *
   * @throws {Error} If it ends instead.
   */
  static async start(dir: string): Promise<ServeProcess> {
    const args = [
      "run",
      "-P",
      // As the task, the executable and cli.ts itself start it.
      "--v8-flags=--max-semi-space-size=8",
      "cli.ts",
      "serve",
      "--port",
      "0",
      "--no-log",
      // Larger than what is indexed, to see that its size is no matter while it comes.
      "--max-upload",
      String(LIMITS.uploadBytes),
    ];
    const child = spawn(process.execPath, [...args, "--db", dir], {
      cwd: ROOT,
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, KB_API_KEY: KEY },
    });
    let said = "";
    const port = await new Promise<number>((resolve, reject) => {
      child.stderr.setEncoding("utf8").on("data", (text) => {
        said += text;
        const found = /listening on http:\S+:(\d+)/.exec(said)?.[1];
        if (found !== undefined) resolve(Number(found));
      });
      child.on("error", reject);
      child.on("exit", () => reject(new Error(`kbdb serve ended: ${said}`)));
    });
    // From here on it tells of faults only, which are for whoever runs this.
    child.stderr.on("data", (text) => process.stderr.write(text));
    return new ServeProcess(child, port);
  }

  /** Whether it still runs. */
  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Sends JSON, or asks without a body. */
  call(method: string, path: string, json?: unknown): Promise<Response> {
    return fetch(`http://127.0.0.1:${this.port}${path}`, {
      method,
      headers: { ...this.headers, "Content-Type": "application/json" },
      signal: AbortSignal.timeout(ANSWER_MS),
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
  }

  /**
   * Sends JSON and reads the answer as such.
   *
   * @throws {Error} If it is refused.
   */
  // deno-lint-ignore no-explicit-any -- answers have every shape
  async ask(method: string, path: string, json?: unknown): Promise<any> {
    const response = await this.call(method, path, json);
    const text = await response.text();
    if (response.ok) return JSON.parse(text);
    throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  }

  /** Its memory; `undefined` where the system does not tell. */
  readMemory(): Memory | undefined {
    try {
      const status = readFileSync(`/proc/${this.#child.pid}/status`, "utf8");
      return {
        bytes: readField(status, "VmRSS"),
        peakBytes: readField(status, "VmHWM"),
      };
    } catch {
      return undefined;
    }
  }

  /** Starts the peak of {@linkcode ServeProcess.readMemory} anew, where the system can. */
  forgetPeak(): void {
    try {
      writeFileSync(`/proc/${this.#child.pid}/clear_refs`, "5");
    } catch {
      // The peak is then that of the whole life of the process, never too small.
    }
  }

  /** Waits until a job is over. */
  async waitForJob(id: number): Promise<{ status: string; document: number }> {
    while (true) {
      const job = await this.ask("GET", `/api/v1/jobs/${id}`);
      if (!["queued", "processing"].includes(job.status)) {
        return { status: job.state ?? job.status, document: job.document_id };
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Tells it to stop and waits until it has. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.isAlive) return;
    const exited = once(this.#child, "exit");
    this.#child.stderr?.removeAllListeners("data").resume();
    this.#child.kill("SIGTERM");
    await exited;
  }
}

/** Reads a field of kibibytes. */
function readField(status: string, name: string): number {
  const kib = new RegExp(`^${name}:\\s*(\\d+) kB$`, "m").exec(status)?.[1];
  if (kib === undefined) throw new Error(`There is no ${name}`);
  return Number(kib) * 1024;
}
