import { randomBytes } from "node:crypto";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { clearInterval, setInterval, setTimeout } from "node:timers";
import {
  clearServerFile,
  readServerFile,
  type ServerFile,
  stopDaemon,
  writeServerFile,
} from "../../client/mod.ts";
import { KbError, LIMITS } from "../../core/mod.ts";
import {
  type App,
  createApp,
  listen,
  type Listening,
  parseKeys,
} from "../../http/mod.ts";
import { type Kb, takeLock } from "../../kb/mod.ts";
import { getBaseDir } from "../base_dir.ts";
import { DAEMON_LOG, daemonOf, readDaemonModel } from "../daemon.ts";
import { type CliIo, type GlobalOptions, writeJson } from "../io.ts";
import { openHere, readSettings } from "../session.ts";
import { DAEMON_IDLE_MINUTES } from "../settings/table.ts";
import { VERSION } from "../version.ts";

/** Name of the daemon's socket in the directory of its base. */
const SOCKET = "daemon.sock";
/** Name of the lock that keeps a base from having two daemons. */
const LOCK = "daemon.lock";
/** Longest path of a Unix socket that every system takes, in bytes. */
const SOCKET_BYTES = 100;
/** How long `daemon start` waits. */
const START_MS = 15_000;
/** How long `daemon stop` waits. */
const STOP_MS = 10_000;
const POLL_MS = 50;
/** Most time from being told to stop to the end of the process, whatever is still at work. */
const EXIT_MS = 9_000;

/** Starts the daemon of a base, unless it runs. */
export async function start(
  io: CliIo,
  options: GlobalOptions,
): Promise<number> {
  const dir = getBaseDir(io, options.db);
  const daemon = await daemonOf(io, dir);
  const live = await daemon.find();
  const engine = live ?? await daemon.start(START_MS);
  await engine?.close();
  const file = readServerFile(dir);
  if (engine === undefined || file === undefined) {
    throw new KbError(
      "unreachable",
      `The daemon did not start; ${join(dir, DAEMON_LOG)} may say why`,
    );
  }
  if (options.format === "json") {
    writeJson(io, { ...toFacts(file), started: live === undefined });
  } else {
    io.out.write(
      live === undefined
        ? `Started a daemon, process ${file.pid}\n`
        : `A daemon runs already, process ${file.pid}\n`,
    );
  }
  return 0;
}

/** Says whether the daemon of a base runs. */
export async function status(
  io: CliIo,
  options: GlobalOptions,
): Promise<number> {
  const dir = getBaseDir(io, options.db);
  const engine = await (await daemonOf(io, dir)).find();
  await engine?.close();
  const file = engine === undefined ? undefined : readServerFile(dir);
  if (options.format === "json") {
    writeJson(io, {
      running: file !== undefined,
      ...(file === undefined ? {} : toFacts(file)),
    });
  } else {
    io.out.write(
      file === undefined
        ? "No daemon runs\n"
        : `A daemon runs, process ${file.pid}, at ${
          file.socketPath ?? `127.0.0.1:${file.port}`
        }\n`,
    );
  }
  return 0;
}

/** Stops the daemon of a base and waits until it has ended. */
export async function stop(
  io: CliIo,
  options: GlobalOptions,
): Promise<number> {
  const dir = getBaseDir(io, options.db);
  const pid = await stopDaemon(dir, VERSION);
  const end = performance.now() + STOP_MS;
  while (pid !== undefined && !isFree(dir)) {
    if (performance.now() > end) {
      throw new KbError(
        "busy",
        `The daemon, process ${pid}, has not ended yet; it finishes what it was asked for`,
      );
    }
    await pause(POLL_MS);
  }
  if (options.format === "json") writeJson(io, { stopped: pid !== undefined });
  else {
    io.out.write(
      pid === undefined
        ? "No daemon runs\n"
        : `Stopped the daemon, process ${pid}\n`,
    );
  }
  return 0;
}

/** Is the daemon: serves a base to commands of the same user until nobody has called for a while. */
export async function serveDaemon(
  io: CliIo,
  options: GlobalOptions,
): Promise<number> {
  const dir = getBaseDir(io, options.db);
  using lock = takeLock(join(dir, LOCK));
  // Another one was faster, which is as good.
  if (lock === undefined) return 0;
  writeFileSync(join(dir, DAEMON_LOG), "", { mode: 0o600 });
  const idleMs = (await readSettings(io, options)).get(DAEMON_IDLE_MINUTES)
    .value * 60_000;
  const kb = await openHere(io, options, { isNew: false });
  const ending = new AbortController();
  const end = () => ending.abort();
  io.signal.addEventListener("abort", end, { once: true });
  const clock = new IdleClock(idleMs, end);
  try {
    await using app = createApp(kb, {
      keys: [],
      settings: {
        version: VERSION,
        readOnly: false,
        maxUploadBytes: LIMITS.uploadBytes,
        onStopAsked: end,
      },
      onError: (error, requestId) =>
        io.err.write(`fault in ${requestId}: ${toText(error)}\n`),
    });
    const { listening, place } = await listenPrivately(io, dir, {
      ...app,
      fetch: (request, side) => clock.during(() => app.fetch(request, side)),
    });
    const pid = io.processId ?? 0;
    const model = await readDaemonModel(io, dir);
    writeServerFile(dir, { version: VERSION, model, pid, ...place });
    using _idle = clock.start(() => readServerFile(dir)?.pid === pid);
    // Whoever queues a file here waits until it is taken in.
    kb.jobs.start((error) => io.err.write(`jobs: ${toText(error)}\n`));
    void warmUp(kb, ending.signal);
    await aborted(ending.signal);
    setTimeout(() => io.exit?.(0), EXIT_MS).unref();
    clearServerFile(dir, pid);
    app.drain();
    await listening.stop();
    if (place.socketPath !== undefined) {
      rmSync(place.socketPath, { force: true });
    }
  } finally {
    await kb.close();
  }
  return 0;
}

/**
 * Listens where only the user of this process can call: at a socket in the base's directory, or where there is none
 * (Windows, a long path, a Deno without), at a loopback port with a random key.
 */
async function listenPrivately(
  io: CliIo,
  dir: string,
  app: App,
): Promise<{
  listening: Listening;
  place: Pick<ServerFile, "socketPath" | "port" | "key">;
}> {
  const socketPath = join(dir, SOCKET);
  const isShort = new TextEncoder().encode(socketPath).length <= SOCKET_BYTES;
  if (io.hasUnixSockets === true && isShort) {
    rmSync(socketPath, { force: true });
    try {
      const listening = await listen(app, {
        port: 0,
        hasKeys: false,
        socketPath,
        ownerKeys: [],
      });
      chmodSync(socketPath, 0o600);
      return { listening, place: { socketPath } };
    } catch {
      // A file system without sockets, or a Deno that may not use them.
    }
  }
  const key = randomBytes(32).toString("base64url");
  const listening = await listen(app, {
    port: 0,
    hasKeys: true,
    ownerKeys: parseKeys(key, SOCKET),
  });
  return { listening, place: { port: listening.port, key } };
}

/** Ends a daemon that nobody has called for a while. */
class IdleClock {
  readonly #idleMs: number;
  readonly #end: () => void;
  #underWay = 0;
  #lastMs = performance.now();

  constructor(idleMs: number, end: () => void) {
    this.#idleMs = idleMs;
    this.#end = end;
  }

  /** Answers a request, which counts until its body is out. */
  async during(answer: () => Promise<Response>): Promise<Response> {
    this.#underWay++;
    const response = await answer().catch((error: unknown) => {
      this.#leave();
      throw error;
    });
    if (response.body === null) {
      this.#leave();
      return response;
    }
    const { readable, writable } = new TransformStream<
      Uint8Array,
      Uint8Array
    >();
    response.body.pipeTo(writable).catch(() => {}).finally(() => this.#leave());
    return new Response(readable, response);
  }

  /** Begins to look; a daemon that is no longer named by its base, as that was removed, ends at once. */
  start(isNamed: () => boolean): Disposable {
    const pollMs = Math.min(1_000, this.#idleMs / 4);
    const timer = setInterval(() => {
      const idleMs = performance.now() - this.#lastMs;
      if (this.#underWay > 0) return;
      if (idleMs >= this.#idleMs || !isNamed()) this.#end();
    }, pollMs);
    return { [Symbol.dispose]: () => clearInterval(timer) };
  }

  #leave(): void {
    this.#underWay--;
    this.#lastMs = performance.now();
  }
}

/** Loads the model and the vectors ahead of the first search. */
async function warmUp(kb: Kb, signal: AbortSignal): Promise<void> {
  try {
    await kb.search("warm up", { limit: 1, signal });
  } catch {
    // Whoever searches is told.
  }
}

/** Says whether no daemon holds a base. */
function isFree(dir: string): boolean {
  using lock = takeLock(join(dir, LOCK));
  return lock !== undefined;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** What may be shown of a daemon: not its key. */
function toFacts({ key: _, ...facts }: ServerFile): Omit<ServerFile, "key"> {
  return facts;
}

function toText(error: unknown): string {
  return error instanceof Error ? error.stack ?? error.message : String(error);
}
