/** What differs between the programs that run kbdb: Deno with a script, an executable made by it, Node. */
export interface RuntimeFacts {
  /** The program that runs this process. */
  readonly execPath: string;
  /** Its own options. */
  readonly execArgs: readonly string[];
  /** Script it was given. */
  readonly script: string;
  /** Versions by name of the program. */
  readonly versions: Readonly<Record<string, string | undefined>>;
  /** Whether the program is kbdb itself. */
  readonly isStandalone: boolean;
  /** Operating system as Node names it. */
  readonly platform: string;
}

/** How to start kbdb again. */
export interface Relaunch {
  /** The program, the first of these that may be run. */
  readonly commands: readonly string[];
  /** Arguments before those of kbdb. */
  readonly args: readonly string[];
}

/** What a daemon is allowed when Deno runs it from a script: the machine it is on, and no other. */
const DENO_ARGS = [
  "run",
  "--quiet",
  "--no-prompt",
  "--allow-read",
  "--allow-write",
  "--allow-env",
  "--allow-sys",
  "--allow-net=127.0.0.1",
];
/** Least Deno whose HTTP server listens on a socket; an older one would listen on a port of all addresses. */
const DENO_WITH_SOCKETS = [2, 9];

/**
 * Says how to start kbdb again, to which its arguments are added.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const facts = {
 *   execPath: "/bin/kbdb",
 *   execArgs: [],
 *   script: "/tmp/cli.ts",
 *   versions: { deno: "2.9.6" },
 *   isStandalone: true,
 *   platform: "linux",
 * };
 * assert.deepEqual(toRelaunch(facts), { commands: ["/bin/./kbdb"], args: [] });
 * ```
 */
export function toRelaunch(
  { execPath, execArgs, script, versions, isStandalone }: RuntimeFacts,
): Relaunch {
  if (isStandalone) return { commands: [spelledAnew(execPath)], args: [] };
  const isDeno = versions["deno"] !== undefined;
  // The task may run `deno` by that name only, which a package manager may have put in front of the program itself.
  const commands = isDeno ? [execPath, "deno"] : [execPath];
  return { commands, args: [...isDeno ? DENO_ARGS : execArgs, script] };
}

/**
 * The same path in other letters: Deno takes its own for that of Node, and the arguments for Node's, even
 * where it is an executable made by it.
 */
function spelledAnew(path: string): string {
  const at = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  const separator = path.charAt(at);
  return `${path.slice(0, at)}${separator}.${separator}${path.slice(at + 1)}`;
}

/** Says whether an HTTP server can listen on a Unix socket. */
export function hasUnixSockets({ versions, platform }: RuntimeFacts): boolean {
  if (platform === "win32") return false;
  const { deno } = versions;
  if (deno === undefined) return true;
  const [major = 0, minor = 0] = deno.split(".").map(Number);
  const [leastMajor = 0, leastMinor = 0] = DENO_WITH_SOCKETS;
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}
