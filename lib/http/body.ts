import { KbError } from "../core/mod.ts";

/** Longest pause between two parts of a body. */
const IDLE_MS = 30_000;

/**
 * Reads a body as it comes and ends one that pauses too long. Nothing but the part at hand is held.
 *
 * @throws {KbError} `invalid_input` if it pauses for 30 s or breaks off.
 */
export async function* readParts(
  request: Request,
  idleMs: number = IDLE_MS,
): AsyncGenerator<Uint8Array> {
  if (request.body === null) return;
  const reader = request.body.getReader();
  try {
    while (true) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() =>
          reject(
            new KbError(
              "invalid_input",
              `The body paused for ${idleMs / 1000} s`,
            ),
          ), idleMs);
      });
      try {
        const { done, value } = await Promise.race([reader.read(), late]);
        if (done) return;
        yield value;
      } finally {
        clearTimeout(timer);
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
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
  const parts: Uint8Array[] = [];
  let size = 0;
  const declared = Number(request.headers.get("content-length") ?? 0);
  for await (const part of declared > maxBytes ? [] : readParts(request)) {
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
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw new KbError(
      "invalid_input",
      `The body is no JSON in UTF-8: ${
        error instanceof Error ? error.message : String(error)
      }`,
    );
  }
}
