/** Shortest payload that is replaced, in UTF-16 units. */
const PAYLOAD_CHARS = 200;
/** Bounded before its comma, or text without one would be walked many times. */
const DATA_URI =
  /data:([\w.+-]{1,127}\/[\w.+-]{1,127}(?=[;,]))?[^\s"'()<>,]{0,200},[^\s"'()<>]*/y;
const DATA_PREFIX_CHARS = 200;

/** A span of payload, and the mark that stands for it. */
interface Payload {
  readonly start: number;
  readonly end: number;
  readonly mark: string;
}

/** A text whose payload was replaced, and the way back to the offsets of the original. */
export interface MaskedText {
  readonly text: string;
  /** Whether a mark lies, even in part, in a span of `text`. */
  hasMark(start: number, end: number): boolean;
  /** Offset in the original; an offset inside a mark becomes the start of what it stands for. */
  toStart(offset: number): number;
  /** Offset in the original; an offset inside a mark becomes the end of what it stands for. */
  toEnd(offset: number): number;
}

/**
 * Replaces data URIs and long base64 by short marks.
 *
 * @param text Any text.
 * @returns The masked text, or `undefined` if there is nothing to replace.
 */
export function maskPayload(text: string): MaskedText | undefined {
  if (text.length < PAYLOAD_CHARS) return undefined;
  const payloads = findPayloads(text);
  if (payloads.length === 0) return undefined;
  let masked = "";
  let last = 0;
  const marks = payloads.map((payload) => {
    masked += text.slice(last, payload.start);
    last = payload.end;
    const start = masked.length;
    masked += payload.mark;
    return { start, end: masked.length, payload };
  });
  masked += text.slice(last);

  /** Moves an offset of the masked text to the original. */
  function toOriginal(offset: number, edge: "start" | "end"): number {
    let shift = 0;
    for (const mark of marks) {
      if (offset <= mark.start) break;
      if (offset < mark.end) return mark.payload[edge];
      shift = mark.payload.end - mark.end;
    }
    return offset + shift;
  }
  return {
    text: masked,
    hasMark: (start, end) =>
      marks.some((mark) => mark.start < end && mark.end > start),
    toStart: (offset) => toOriginal(offset, "start"),
    toEnd: (offset) => toOriginal(offset, "end"),
  };
}

/** Finds payload in the order of the text, without overlap. */
function findPayloads(text: string): Payload[] {
  const payloads: Payload[] = [];
  // A run of the wanted length covers a multiple of it, so most characters are never looked at.
  for (
    let probe = PAYLOAD_CHARS - 1;
    probe < text.length;
    probe += PAYLOAD_CHARS
  ) {
    if (!isPayloadUnit(text.charCodeAt(probe))) continue;
    const floor = Math.max(
      payloads.at(-1)?.end ?? 0,
      probe - PAYLOAD_CHARS + 1,
    );
    let start = probe;
    while (start > floor && isPayloadUnit(text.charCodeAt(start - 1))) start--;
    let end = probe + 1;
    while (end < text.length && isPayloadUnit(text.charCodeAt(end))) end++;
    if (end - start >= PAYLOAD_CHARS) {
      const payload = toDataUri(text, payloads.at(-1)?.end ?? 0, start) ??
        toBase64(text, start, end);
      if (payload !== undefined) payloads.push(payload);
      end = Math.max(end, payload?.end ?? 0);
    }
    // The next probe has to come behind this run, or a long run would be walked many times.
    if (end > probe + PAYLOAD_CHARS) {
      probe += Math.floor((end - probe - 1) / PAYLOAD_CHARS) * PAYLOAD_CHARS;
    }
  }
  return payloads;
}

/** Says whether a code unit can be in base64 or in a percent-encoded data URI. */
function isPayloadUnit(unit: number): boolean {
  return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a) ||
    (unit >= 0x30 && unit <= 0x39) || unit === 0x2b || unit === 0x2f ||
    unit === 0x3d ||
    unit === 0x2d || unit === 0x5f || unit === 0x25;
}

/** Takes a run as the body of a data URI that began shortly before it. */
function toDataUri(
  text: string,
  floor: number,
  run: number,
): Payload | undefined {
  const from = Math.max(floor, run - DATA_PREFIX_CHARS);
  const at = text.slice(from, run).lastIndexOf("data:");
  if (at === -1) return undefined;
  DATA_URI.lastIndex = from + at;
  const match = DATA_URI.exec(text);
  if (match === null || from + at + match[0].length <= run) return undefined;
  const { length } = match[0];
  const mark = `[data:${match[1] ?? "text/plain"}, ${length} chars]`;
  return { start: from + at, end: from + at + length, mark };
}

/** Takes a run as base64 if it mixes cases and digits and has few signs, as paths have. */
function toBase64(
  text: string,
  start: number,
  end: number,
): Payload | undefined {
  const run = text.slice(start, end);
  if (!/[a-f]/.test(run) || !/[0-9]/.test(run)) return undefined;
  const signs = run.length - run.replace(/[^A-Za-z0-9]/g, "").length;
  const isMixed = /[A-Z]/.test(run) && /[a-z]/.test(run) &&
    signs * 10 < run.length;
  const isHex = /^[0-9a-f]+$/i.test(run);
  if (!isMixed && !isHex) return undefined;
  return {
    start,
    end,
    mark: `[${isHex ? "hex" : "base64"}, ${run.length} chars]`,
  };
}
