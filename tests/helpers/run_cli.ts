import { Buffer } from "node:buffer";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { run } from "../../lib/cli/mod.ts";

/** What one command came to. */
export interface CliResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** What `out` is, byte by byte. */
  readonly bytes: Uint8Array;
}

const ENCODER = new TextEncoder();

/** A folder of its own for a test of the command, with a home directory in it. */
export class CliFolder implements Disposable {
  readonly root: string = mkdtempSync(join(tmpdir(), "kbdb-cli-"));
  readonly cwd: string = join(this.root, "work");

  constructor() {
    mkdirSync(this.cwd);
  }

  /** Writes files below the working directory. */
  write(files: Readonly<Record<string, string | Uint8Array>>): void {
    for (const [name, content] of Object.entries(files)) {
      const path = join(this.cwd, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    }
  }

  /** Runs one command line in the working directory. */
  async run(
    args: readonly string[],
    options: {
      input?: string | Uint8Array;
      env?: Record<string, string>;
      /** Whether all streams are a terminal. */
      isTerminal?: boolean;
      /** Whether standard input stays open and nothing comes. */
      waits?: boolean;
      signal?: AbortSignal;
      /** Called whenever something is written to standard output. */
      onOut?: () => void;
    } = {},
  ): Promise<CliResult> {
    const out: Uint8Array[] = [];
    const err: Uint8Array[] = [];
    const { input = "", isTerminal = false, waits = false } = options;
    const sink = (parts: Uint8Array[], onWrite = () => {}) => ({
      write: (part: string | Uint8Array) => {
        parts.push(typeof part === "string" ? ENCODER.encode(part) : part);
        onWrite();
      },
      isTTY: isTerminal,
    });
    const code = await run(args, {
      env: { KBDB_DAEMON: "false", ...options.env },
      cwd: this.cwd,
      home: join(this.root, "home"),
      platform: process.platform,
      out: sink(out, options.onOut),
      err: sink(err),
      input: {
        isTTY: isTerminal,
        async *[Symbol.asyncIterator]() {
          if (waits) await new Promise(() => {});
          yield await Promise.resolve(input);
        },
      },
      signal: options.signal ?? new AbortController().signal,
    });
    return {
      code,
      out: Buffer.concat(out).toString(),
      err: Buffer.concat(err).toString(),
      bytes: Buffer.concat(out),
    };
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
