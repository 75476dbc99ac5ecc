import { KbError } from "../core/mod.ts";

/** Longest pause between two parts of a body. */
const IDLE_MS = 30_000;
/** Longest time that what is left of a refused body is read on. */
const DRAIN_MS = 2_000;
/** Longest time a JSON body takes. */
const JSON_MS = 60_000;

/**
 * Reads a body as it comes and ends one that pauses too long. Nothing but the part at hand is held.
 *
 * @throws {KbError} `invalid_input` if it pauses for 30 s; `cancelled` if the client leaves.
 */
export async function* readParts(
  request: Request,
  { idleMs = IDLE_MS, totalMs }: ReadOptions = {},
): AsyncGenerator<Uint8Array> {
  if (request.body === null) return;
  const reader = request.body.getReader();
  const { signal } = request;
  const end = totalMs === undefined ? Infinity : performance.now() + totalMs;
  try {
    while (true) {
      const leftMs = Math.max(1, Math.min(idleMs, end - performance.now()));
      const { done, value } = await within(reader.read(), leftMs, signal);
      if (done) return;
      yield value;
    }
  } finally {
    // Not awaited: the answer goes out while what the client still sends is thrown away.
    void drain(reader);
  }
}

/**
 * Throws away what is left of a body, for a while: to cancel it at once would end the connection before the
 * answer is out.
 */
async function drain(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<void> {
  const timer = setTimeout(() => reader.cancel().catch(() => {}), DRAIN_MS);
  try {
    while (!(await reader.read()).done);
  } catch {
    // The client left.
  } finally {
    clearTimeout(timer);
  }
}

/** How long a body may take. */
export interface ReadOptions {
  /** Longest pause between two parts; default 30 s. */
  readonly idleMs?: number;
  /** Longest time for all of it; default no limit. */
  readonly totalMs?: number;
}

/** Waits for a part, but not for long, and not for a client that has left. */
function within<T>(
  part: Promise<T>,
  ms: number,
  signal: AbortSignal,
): Promise<T> {
  return new Promise((resolve, reject) => {
    function settle(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", leave);
    }
    function leave(): void {
      settle();
      reject(new KbError("cancelled", "The client left"));
    }
    const timer = setTimeout(() => {
      settle();
      reject(
        new KbError("invalid_input", "The body took too long to come", {
          details: { reason: "too_slow" },
        }),
      );
    }, ms);
    signal.addEventListener("abort", leave, { once: true });
    part.then(resolve, reject).finally(settle);
  });
}

/**
 * Reads a JSON body within a limit.
 *
 * @throws {KbError} `invalid_input` if it is too large (`details.reason` is `too_large`), no UTF-8, or no JSON.
 */
export async function readJson(
  request: Request,
  maxBytes: number,
): Promise<unknown> {
  const text = await readText(request, maxBytes);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw notJson(error);
  }
}

/**
 * Reads a body within a limit.
 *
 * @throws {KbError} `invalid_input` if it is too large (`details.reason` is `too_large`) or no UTF-8.
 */
export async function readText(
  request: Request,
  maxBytes: number,
): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  const declared = Number(request.headers.get("content-length") ?? 0);
  const source = declared > maxBytes
    ? []
    : readParts(request, { totalMs: JSON_MS });
  for await (const part of source) {
    size += part.length;
    if (size > maxBytes) break;
    parts.push(part);
  }
  if (Math.max(size, declared) > maxBytes) {
    throw new KbError(
      "invalid_input",
      `The body has more than ${maxBytes} bytes, which is the limit`,
      { details: { maxBytes, reason: "too_large" } },
    );
  }
  try {
    const bytes = new Uint8Array(size);
    let at = 0;
    for (const part of parts) {
      bytes.set(part, at);
      at += part.length;
    }
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw notJson(error);
  }
}

function notJson(error: unknown): KbError {
  return new KbError(
    "invalid_input",
    `The body is no JSON in UTF-8: ${
      error instanceof Error ? error.message : String(error)
    }`,
  );
}
