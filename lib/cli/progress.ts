import type { Progress } from "../kb/mod.ts";
import { formatBytes, formatCount, formatSeconds } from "./format.ts";
import type { TextSink } from "./io.ts";

const REDRAW_MS = 100;
const BAR_CHARS = 20;
const VERBS = {
  scan: "Looking",
  store: "Storing",
  embed: "Embedding",
  check: "Checking",
  rebuild: "Rebuilding",
} as const;

/** Where long work stands: that of the base, or upkeep. */
export type LineProgress = Omit<Progress, "phase"> & {
  /** What is being done. */
  readonly phase: keyof typeof VERBS;
};

/** Draws one line about long work and draws over it; draws nothing where nobody watches. */
export class ProgressLine {
  readonly #sink: TextSink;
  #drawnMs = 0;
  #phase: LineProgress["phase"] | undefined;
  #startedMs = 0;
  #startedSize = 0;
  #visible = false;

  /** Makes a line on a sink. */
  constructor(sink: TextSink) {
    this.#sink = sink;
  }

  /** Takes in where the work stands. */
  update(progress: LineProgress): void {
    if (this.#sink.isTTY !== true) return;
    const now = performance.now();
    if (progress.phase !== this.#phase) {
      this.#phase = progress.phase;
      this.#startedMs = now;
      this.#startedSize = progress.doneSize;
    } else if (
      now - this.#drawnMs < REDRAW_MS && progress.done < progress.total
    ) return;
    this.#drawnMs = now;
    this.#visible = true;
    const line = toLine(progress, {
      seconds: (now - this.#startedMs) / 1000,
      size: progress.doneSize - this.#startedSize,
    });
    this.#sink.write(
      `\r\x1b[K${line.slice(0, (this.#sink.columns ?? 80) - 1)}`,
    );
  }

  /** Takes the line away. */
  clear(): void {
    if (this.#visible) this.#sink.write("\r\x1b[K");
    this.#visible = false;
  }
}

/** Writes where the work stands, and how long it may still take. */
export function toLine(
  progress: LineProgress,
  since: { readonly seconds: number; readonly size: number },
): string {
  const { phase, done, total, doneSize, totalSize } = progress;
  if (phase === "scan") return `${VERBS.scan}  ${formatCount(total)} files`;
  const share = totalSize === 0 ? 1 : doneSize / totalSize;
  const filled = Math.round(share * BAR_CHARS);
  const bar = "#".repeat(filled) + "-".repeat(BAR_CHARS - filled);
  const speed = since.seconds > 0 ? since.size / since.seconds : 0;
  const left = speed > 0
    ? `  ETA ${formatSeconds((totalSize - doneSize) / speed)}`
    : "";
  const items = `${formatCount(done)}/${formatCount(total)}`;
  const detail = toDetail(progress, items, speed);
  return `${VERBS[phase]}  [${bar}] ${
    Math.floor(share * 100)
  }%  ${detail}${left}`;
}

function toDetail(
  { phase, doneSize, totalSize }: LineProgress,
  items: string,
  speed: number,
): string {
  if (phase === "store") {
    return `${items} files  ${formatBytes(doneSize)}/${formatBytes(totalSize)}`;
  }
  return phase === "embed"
    ? `${items} chunks  ${formatCount(Math.round(speed))} tokens/s`
    : `${items} sections`;
}
