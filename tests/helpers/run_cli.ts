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
}

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
    options: { input?: string; env?: Record<string, string> } = {},
  ): Promise<CliResult> {
    const out: string[] = [];
    const err: string[] = [];
    const { input = "" } = options;
    const code = await run(args, {
      env: { KBDB_DAEMON: "false", ...options.env },
      cwd: this.cwd,
      home: join(this.root, "home"),
      platform: process.platform,
      out: { write: (text) => out.push(text) },
      err: { write: (text) => err.push(text) },
      input: {
        async *[Symbol.asyncIterator]() {
          yield await Promise.resolve(input);
        },
      },
      signal: new AbortController().signal,
    });
    return { code, out: out.join(""), err: err.join("") };
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
