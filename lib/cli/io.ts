import { KbError } from "../core/mod.ts";
import type { Relaunch } from "./runtime.ts";

/** A stream the command writes to. */
export interface TextSink {
  /** Writes a text, or the bytes of a file. */
  write(text: string | Uint8Array): unknown;
  /** Waits for room after `write` answered `false`. */
  once?(event: "drain", listener: () => void): unknown;
  /** Whether a person watches. */
  readonly isTTY?: boolean;
  /** Width of the terminal in characters. */
  readonly columns?: number;
}

/** A stream the command reads from. */
export interface TextSource extends AsyncIterable<string | Uint8Array> {
  /** Whether a person types. */
  readonly isTTY?: boolean;
}

/** Everything a command may touch of the world outside. */
export interface CliIo {
  /** Environment variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Working directory. */
  readonly cwd: string;
  /** Home directory. */
  readonly home: string;
  /** Operating system as Node names it. */
  readonly platform: string;
  /** Answers. */
  readonly out: TextSink;
  /** Progress, notes and errors. */
  readonly err: TextSink;
  /** Text given by pipe. */
  readonly input: TextSource;
  /** Current time in milliseconds; default the clock of the system. */
  readonly now?: () => number;
  /** Asks the command to stop. */
  readonly signal: AbortSignal;
  /** Says what to do, instead of ending at once, when nobody reads the answers any more. */
  readonly onReaderGone?: (act: () => void) => void;
  /** Id of the process that started this one; another one when that has ended. */
  readonly parentId?: () => number;
  /** Says how much memory the process has, in bytes. */
  readonly readResidentBytes?: () => number;
  /** How to start this program again, to which its arguments are added; it cannot be if this is missing. */
  readonly relaunch?: Relaunch;
  /** Whether a server can listen on a Unix socket. */
  readonly hasUnixSockets?: boolean;
  /** Id of this process. */
  readonly processId?: number;
  /** Ends the process, whatever is still open. */
  readonly exit?: (code: number) => void;
}

/** Options every command has. */
export interface GlobalOptions {
  /** Directory of the base. */
  readonly db?: string;
  /** URL of the engine that has the base. */
  readonly url?: string;
  /** `false` keeps from using and starting a daemon. */
  readonly daemon?: boolean;
  /** How answers look. */
  readonly format: Format;
}

/** How answers look: for people, as one JSON document, or row by row for other programs. */
export type Format = "text" | "json" | "jsonl" | "csv" | "md";

/** Every format, as `--format` names it. */
export const FORMATS: readonly Format[] = [
  "text",
  "json",
  "jsonl",
  "csv",
  "md",
];

/** Writes one JSON document. */
export function writeJson(io: CliIo, value: unknown): void {
  io.out.write(JSON.stringify(value, null, 2) + "\n");
}

/** Writes lines. */
export function writeLines(sink: TextSink, lines: readonly string[]): void {
  if (lines.length > 0) sink.write(lines.join("\n") + "\n");
}

/**
 * Reads standard input part by part.
 *
 * @throws {KbError} `cancelled` if the command is stopped while it waits for more.
 */
export async function* readParts(
  { input, signal }: Pick<CliIo, "input" | "signal">,
): AsyncGenerator<string | Uint8Array> {
  const parts = input[Symbol.asyncIterator]();
  let stop: (error: KbError) => void = () => {};
  const onAbort = () =>
    stop(new KbError("cancelled", "Stopped; nothing was changed"));
  signal.addEventListener("abort", onAbort);
  try {
    for (;;) {
      // A promise for each part, as one for all would keep every part in memory.
      const part = await new Promise<IteratorResult<string | Uint8Array>>(
        (resolve, reject) => {
          stop = reject;
          if (signal.aborted) onAbort();
          else parts.next().then(resolve, reject);
        },
      );
      if (part.done === true) return;
      yield part.value;
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    // Not waited for: it ends only after a read that nobody answers any more.
    parts.return?.().catch(() => {});
  }
}

/**
 * Reads all of a piped text.
 *
 * @throws {KbError} `invalid_input` if it is not UTF-8; `cancelled` if the command is stopped.
 */
export async function readAll(
  io: Pick<CliIo, "input" | "signal">,
): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  try {
    for await (const part of readParts(io)) {
      text += typeof part === "string"
        ? part
        : decoder.decode(part, { stream: true });
    }
    return text + decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new KbError(
      "invalid_input",
      "Standard input is not UTF-8; add it as a file, whose encoding is found out: kbdb add - --name FILE",
    );
  }
}
