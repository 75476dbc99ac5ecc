import { clearInterval, setInterval, setTimeout } from "node:timers";
import { KbError } from "../../core/mod.ts";
import { withDaemon } from "../../client/mod.ts";
import type { Engine } from "../../kb/mod.ts";
import { serveMcpStdio, type ToolSet } from "../../mcp/mod.ts";
import { findNamedDir, hasBase } from "../base_dir.ts";
import type { CliIo, GlobalOptions } from "../io.ts";
import { refuseElsewhere, watchRemembered } from "./watch.ts";
import { daemonOf, isDaemonWanted } from "../daemon.ts";
import { openRemote } from "../remote.ts";
import { openBase, readSettings } from "../session.ts";
import { TOOLS } from "../settings/table.ts";

/** Options of `kbdb mcp`. */
export interface McpOptions extends GlobalOptions {
  /** Tools. */
  readonly tools?: ToolSet;
  /** Whether the folders that were synced are watched. */
  readonly watch?: true;
}

/** Most time the base has to close before the process ends all the same. */
const CLOSE_MS = 700;
/** How often changes of an engine elsewhere are looked for. */
const REMOTE_POLL_MS = 2_000;
/** How often the process looks whether the one that started it is still there. */
const PARENT_POLL_MS = 1_000;

/** Serves a base by MCP on standard input and output until the client goes. */
export async function mcp(
  io: CliIo,
  version: string,
  options: McpOptions,
): Promise<number> {
  const settings = await readSettings(io, options);
  if (options.watch === true) await refuseElsewhere(io, options);
  const remote = await openRemote(io, options);
  const kb = remote ?? await openServed(io, options);
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  if (io.signal.aborted) stop();
  io.signal.addEventListener("abort", stop, { once: true });
  io.onReaderGone?.(stop);
  const parent = setInterval(stopWithoutParent(io, stop), PARENT_POLL_MS);
  const ended = new AbortController();
  const watching = options.watch === true
    ? watchRemembered(
      kb,
      AbortSignal.any([stopping.signal, ended.signal]),
      (text) => say(io, text),
    )
    : undefined;
  try {
    await serveMcpStdio(kb, {
      version,
      tools: settings.get(TOOLS, options.tools).value ?? "kbdb",
      input: io.input,
      output: io.out,
      signal: stopping.signal,
      onDiagnostic: (text) => say(io, text),
      ...(remote === undefined ? {} : { pollMs: REMOTE_POLL_MS }),
    });
  } finally {
    clearInterval(parent);
    setTimeout(() => io.exit?.(0), CLOSE_MS).unref();
    ended.abort();
    await watching;
    await kb.close();
  }
  // A client that was left still holds standard input open, and that would keep the process.
  if (stopping.signal.aborted) io.exit?.(0);
  return 0;
}

/** Opens the base to serve, making it if it is not there; a daemon has the model. */
async function openServed(
  io: CliIo,
  options: GlobalOptions,
): Promise<Engine> {
  const dir = getServedDir(io, options.db);
  const isNew = !hasBase(dir);
  const kb = await openBase(io, dir);
  if (isNew) say(io, `made a new base at ${dir}`);
  const hasDaemon = await isDaemonWanted(io, { ...options, db: dir });
  return hasDaemon ? withDaemon(kb, await daemonOf(io, dir)) : kb;
}

/**
 * Says which base to serve: a host starts the command in a folder of its own, so the working
 * directory says nothing.
 *
 * @throws {KbError} `invalid_input` if neither `--db` nor `KBDB_DIR` is given.
 */
function getServedDir(io: CliIo, db: string | undefined): string {
  const named = findNamedDir(io, db);
  if (named !== undefined) return named.value;
  throw new KbError(
    "invalid_input",
    "No database directory specified: start with kbdb mcp --db DIR, or set KBDB_DIR; for an engine elsewhere set KB_ENGINE_URL",
  );
}

function stopWithoutParent(io: CliIo, stop: () => void): () => void {
  const id = io.parentId?.();
  return () => {
    if (io.parentId?.() !== id) stop();
  };
}

function say(io: CliIo, text: string): void {
  io.err.write(`kbdb mcp: ${text}\n`);
}
