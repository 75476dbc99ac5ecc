/** Marks {@linkcode toSnippet} expects around matches; no text holds them. */
export const MARK_OPEN = "\u0001";
/** See {@linkcode MARK_OPEN}. */
export const MARK_CLOSE = "\u0002";

/** Part of a text with its matches. */
export interface Snippet {
  /** One line; starts and ends with `…` where the text goes on. */
  readonly text: string;
  /** `[start, end)` of each match in `text`, in UTF-16 units. */
  readonly highlights: readonly (readonly [number, number])[];
}

const SNIPPET_CHARS = 150;
const MARKS = new RegExp(`([${MARK_OPEN}${MARK_CLOSE}])`, "u");

/** Takes the marks out of a text and says where they stood; white space becomes single spaces. */
function readMarks(
  marked: string,
): { text: string; spans: [number, number][] } {
  const flat = marked.replaceAll("\u200b", "").replace(/\s+/gu, " ").trim();
  const spans: [number, number][] = [];
  let text = "";
  let open = 0;
  for (const part of flat.split(MARKS)) {
    if (part === MARK_OPEN) open = text.length;
    else if (part === MARK_CLOSE) spans.push([open, text.length]);
    else text += part;
  }
  return { text, spans };
}

/** Start of the window that holds the most different matched words, earliest first. */
function bestStart(
  text: string,
  spans: readonly (readonly [number, number])[],
  chars: number,
): number {
  let best = { start: 0, words: 0 };
  for (const [index, [from]] of spans.entries()) {
    const words = new Set<string>();
    let last = from;
    for (const [start, end] of spans.slice(index)) {
      if (end > from + chars) break;
      words.add(text.slice(start, end).toLowerCase());
      last = end;
    }
    if (words.size > best.words) {
      const lead = Math.max(0, Math.floor((chars - (last - from)) / 2));
      best = { start: Math.max(0, from - lead), words: words.size };
    }
  }
  return best.start;
}

/** Moves a cut to the next word edge if one is near, and never into a surrogate pair. */
function toEdge(text: string, at: number, step: 1 | -1): number {
  if (at <= 0 || at >= text.length) {
    return Math.min(Math.max(at, 0), text.length);
  }
  for (let i = 0; i < 20; i++) {
    const place = at + i * step;
    if (place <= 0 || place >= text.length) break;
    if (text[place - 1] === " ") return place;
  }
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at + step : at;
}

/**
 * Cuts the part of a text around its matches: keyword in context.
 *
 * @param marked Text with {@linkcode MARK_OPEN} and {@linkcode MARK_CLOSE} around each match.
 * @param chars About how long the snippet should be, in UTF-16 units.
 * @returns The window with the most different matches, or the beginning where nothing matched.
 */
export function toSnippet(
  marked: string,
  chars: number = SNIPPET_CHARS,
): Snippet {
  const { text, spans } = readMarks(marked);
  const rough = Math.min(
    bestStart(text, spans, chars),
    Math.max(0, text.length - chars),
  );
  const start = toEdge(text, rough, 1);
  const end = text.length - start <= chars + 20
    ? text.length
    : toEdge(text, start + chars, -1);
  const lead = start > 0 ? "…" : "";
  const tail = end < text.length ? "…" : "";
  const body = text.slice(start, end).trimEnd();
  return {
    text: lead + body + tail,
    highlights: spans
      .filter(([from, to]) => from >= start && to <= start + body.length)
      .map(([from, to]) => [
        from - start + lead.length,
        to - start + lead.length,
      ]),
  };
}
