import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KbError } from "../core/mod.ts";
import type { EngineAddress } from "./address.ts";
import { Caller } from "./caller.ts";
import { RemoteEngine } from "./engine.ts";

/** Name of the file in a base's directory that says where its daemon is. */
export const SERVER_FILE = "server.json";
/** How long a daemon may take to say that it lives. */
const PING_MS = 2_000;

/** Where the daemon of a base is. Whoever can read it may do everything with the base. */
export interface ServerFile {
  /** Version of its kbdb. */
  readonly version: string;
  /** Model it was started with; `""` for the default. */
  readonly model: string;
  /** Its process. */
  readonly pid: number;
  /** Path of its socket; else it has a port. */
  readonly socketPath?: string;
  /** Its port on 127.0.0.1. */
  readonly port?: number;
  /** The key that is needed at the port. */
  readonly key?: string;
}

/** What a daemon must be to be of use. */
export interface DaemonWanted {
  /** Version of this kbdb. */
  readonly version: string;
  /** Model that the settings ask for; `""` for the default. */
  readonly model: string;
}

/** Reads where the daemon of a base is; `undefined` if there is none, or what is written is none. */
export function readServerFile(dir: string): ServerFile | undefined {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(join(dir, SERVER_FILE), "utf8"));
  } catch {
    return undefined;
  }
  return isServerFile(value) ? value : undefined;
}

/** Writes where the daemon of a base is, for the user of this process only. */
export function writeServerFile(dir: string, file: ServerFile): void {
  const path = join(dir, SERVER_FILE);
  const partial = `${path}.${file.pid}`;
  writeFileSync(partial, JSON.stringify(file, null, 2) + "\n", { mode: 0o600 });
  renameSync(partial, path);
}

/** Removes what a process wrote; what another one wrote since stays. */
export function clearServerFile(dir: string, pid: number): void {
  if (readServerFile(dir)?.pid === pid) {
    rmSync(join(dir, SERVER_FILE), { force: true });
  }
}

/**
 * Gives the daemon of a base, if one lives that is of use. What a daemon left behind that was killed is removed, and
 * one of another version is asked to stop.
 */
export async function findDaemon(
  dir: string,
  wanted: DaemonWanted,
): Promise<RemoteEngine | undefined> {
  const file = readServerFile(dir);
  const address = file && toDaemonAddress(file);
  if (file === undefined || address === undefined) return undefined;
  if (file.version !== wanted.version) {
    await stopDaemon(dir, wanted.version);
    return undefined;
  }
  if (file.model !== wanted.model) return undefined;
  const engine = new RemoteEngine({ address, version: wanted.version });
  try {
    await engine.ping(AbortSignal.timeout(PING_MS));
    return engine;
  } catch (error) {
    await engine.close();
    const isGone = error instanceof KbError && error.code === "unreachable";
    if (isGone) clearServerFile(dir, file.pid);
    return undefined;
  }
}

/**
 * Asks the daemon of a base to stop.
 *
 * @returns Its process, which may still be about to end; `undefined` if there is none.
 */
export async function stopDaemon(
  dir: string,
  version: string,
): Promise<number | undefined> {
  const file = readServerFile(dir);
  const address = file && toDaemonAddress(file);
  if (file === undefined || address === undefined) return undefined;
  const caller = new Caller(address, { version });
  try {
    await caller.stopEngine(AbortSignal.timeout(PING_MS));
    return file.pid;
  } catch {
    clearServerFile(dir, file.pid);
    return undefined;
  } finally {
    caller.close();
  }
}

/** Where a daemon is; `undefined` if its file does not say. */
export function toDaemonAddress(
  { socketPath, port, key }: ServerFile,
): EngineAddress | undefined {
  if (socketPath !== undefined) return { isPrivate: true, socketPath };
  return port === undefined || key === undefined
    ? undefined
    : { isPrivate: true, port, key };
}

function isServerFile(value: unknown): value is ServerFile {
  if (typeof value !== "object" || value === null) return false;
  const { version, model, pid } = value as Partial<ServerFile>;
  return typeof version === "string" && typeof model === "string" &&
    Number.isInteger(pid);
}
