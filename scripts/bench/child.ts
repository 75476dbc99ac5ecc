import { spawn } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** Folder of the checkout. */
export const ROOT: string = fileURLToPath(new URL("../../", import.meta.url));

/** How to run a child. */
export interface ChildOptions {
  /** Arguments of the script. */
  readonly args?: readonly string[];
  /** What it reads from standard input. */
  readonly input?: string;
  /** It is ended after this long. */
  readonly timeoutMs?: number;
  /** Environment variables added to those of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

/** How a child ended. */
export interface ChildEnd {
  /** Everything it printed. */
  readonly stdout: string;
  /** From start to end. */
  readonly ms: number;
}

/**
 * Runs a script of the checkout in a process of its own.
 *
 * @param script Path from the checkout.
 * @throws {Error} If it ends with another status than 0, or not in time.
 */
export function runScript(
  script: string,
  { args = [], ...options }: ChildOptions = {},
): Promise<ChildEnd> {
  return runProgram(process.execPath, {
    ...options,
    args: ["run", "-P", script, ...args],
  });
}

/**
 * Runs a program to its end.
 *
 * @param program Path of the program.
 * @throws {Error} If it ends with another status than 0, or not in time.
 */
export function runProgram(
  program: string,
  { args = [], input = "", timeoutMs, env = {} }: ChildOptions = {},
): Promise<ChildEnd> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(program, args, {
      cwd: ROOT,
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...process.env, ...env },
      ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
    });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text) => stdout += text);
    child.stderr.setEncoding("utf8").on("data", (text) => stderr += text);
    child.on("error", reject);
    child.on("close", (status, signal) => {
      const ms = performance.now() - started;
      if (status === 0) resolve({ stdout, ms });
      else {
        reject(
          new Error(
            `${[program, ...args].join(" ")} ended with ${
              signal ?? status
            }: ${stderr.trim()}`,
          ),
        );
      }
    });
    child.stdin.on("error", () => {}).end(input);
  });
}

/** Runs a script of this folder that prints one line of JSON. */
export async function runChild<T>(
  script: string,
  options: ChildOptions,
): Promise<{ result: T; ms: number }> {
  const { stdout, ms } = await runScript(`scripts/bench/${script}`, options);
  return { result: JSON.parse(stdout), ms };
}
