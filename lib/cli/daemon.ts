import type { DaemonSource, RemoteEngine } from "../client/mod.ts";
import { findBaseDir } from "./base_dir.ts";
import type { CliIo, GlobalOptions } from "./io.ts";
import {
  DEVICE,
  EMBEDDINGS_DIMS,
  EMBEDDINGS_MODEL,
  EMBEDDINGS_URL,
} from "./settings/model_settings.ts";
import { readSources } from "./settings/resolve.ts";
import { DAEMON, MODEL } from "./settings/table.ts";
import { VERSION } from "./version.ts";

/** Name of the file in a base's directory that a daemon writes its faults to. */
export const DAEMON_LOG = "daemon.log";
/** How often it is looked whether a daemon that was started is there. */
const POLL_MS = 25;
/** How long a daemon that was started by another process may take to be there. */
const RIVAL_MS = 1_000;
/** How long a daemon may take to end. */
const STOP_MS = 10_000;

/** Says whether a command may use and start a daemon. */
export async function isDaemonWanted(
  io: CliIo,
  options: GlobalOptions,
): Promise<boolean> {
  const sources = await readSources(io, findBaseDir(io, options.db));
  return sources.get(DAEMON, options.daemon === false ? false : undefined)
    .value;
}

/** What makes the vectors by the settings of a base, in words; a daemon that has another is not used. */
export async function readDaemonModel(io: CliIo, dir: string): Promise<string> {
  const sources = await readSources(io, dir);
  const device = sources.get(DEVICE).value;
  return [
    sources.get(MODEL).value,
    device === DEVICE.byDefault ? undefined : device,
    sources.get(EMBEDDINGS_URL).value,
    sources.get(EMBEDDINGS_MODEL).value,
    sources.get(EMBEDDINGS_DIMS).value,
  ].filter((part) => part !== undefined).join(" ");
}

/** Finds and starts the daemon of a base. */
export async function daemonOf(
  io: CliIo,
  dir: string,
): Promise<DaemonSource> {
  const { findDaemon } = await import("../client/mod.ts");
  const wanted = { version: VERSION, model: await readDaemonModel(io, dir) };
  const find = () => findDaemon(dir, wanted);
  let hasFailed = false;
  return {
    find,
    async start(waitMs: number): Promise<RemoteEngine | undefined> {
      const live = await find();
      if (live !== undefined || hasFailed) return live;
      let end = performance.now() + waitMs;
      const isSpawned = await spawnDaemon(io, dir, () => {
        // It failed, or another was faster and is about to be there.
        end = Math.min(end, performance.now() + RIVAL_MS);
      });
      while (isSpawned && performance.now() < end) {
        const started = await find();
        if (started !== undefined) return started;
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
      // A daemon that cannot be is not waited for again and again.
      hasFailed = true;
      return undefined;
    },
  };
}

/** Has the daemon of a base end, whose files are about to be others. */
export async function stopDaemonOf(dir: string): Promise<void> {
  const { readServerFile, stopDaemon } = await import("../client/mod.ts");
  if (await stopDaemon(dir, VERSION) === undefined) return;
  const end = performance.now() + STOP_MS;
  while (readServerFile(dir) !== undefined && performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/**
 * Starts a daemon in the background, in a session of its own, so that it outlives this process and its terminal.
 *
 * @returns Whether it was started; it may still find that another one runs, and end.
 */
async function spawnDaemon(
  io: CliIo,
  dir: string,
  onEnd: () => void,
): Promise<boolean> {
  if (io.relaunch === undefined) return false;
  const { commands, args } = io.relaunch;
  const { closeSync, openSync } = await import("node:fs");
  const { join } = await import("node:path");
  const log = openSync(join(dir, DAEMON_LOG), "a", 0o600);
  try {
    for (const command of commands) {
      const all = [...args, "--db", dir, "daemon", "run"];
      if (await spawnDetached(command, all, { io, dir, log, onEnd })) {
        return true;
      }
    }
    return false;
  } finally {
    closeSync(log);
  }
}

async function spawnDetached(
  command: string,
  args: readonly string[],
  { io, dir, log, onEnd }: {
    readonly io: CliIo;
    readonly dir: string;
    readonly log: number;
    readonly onEnd: () => void;
  },
): Promise<boolean> {
  const { spawn } = await import("node:child_process");
  try {
    const child = spawn(command, [...args], {
      cwd: dir,
      detached: true,
      stdio: ["ignore", "ignore", log],
      windowsHide: true,
      env: { ...io.env, DENO_NO_UPDATE_CHECK: "1" },
    });
    const begun = Promise.withResolvers<boolean>();
    child.once("spawn", () => begun.resolve(true));
    child.once("error", () => begun.resolve(false));
    child.once("exit", onEnd);
    child.unref();
    return await begun.promise;
  } catch {
    // Deno may forbid it; the base is opened by this process then.
    return false;
  }
}
