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
/** How far a cut moves at most to meet a word edge. */
const SLACK_CHARS = 20;
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

/** How far the cuts of a window of `chars` move at most: less where it is small. */
function slackOf(chars: number): number {
  return Math.max(1, Math.min(SLACK_CHARS, Math.floor(chars / 4)));
}

/**
 * Start of the window that holds the most different matched words, earliest first. It leaves room
 * on both sides, so that no cut reaches them; of a match longer than that the beginning is shown.
 */
function bestStart(
  text: string,
  spans: readonly (readonly [number, number])[],
  chars: number,
): number {
  const slack = slackOf(chars);
  let best = { start: 0, words: 0 };
  for (const [index, [from]] of spans.entries()) {
    const words = new Set<string>();
    let last = from;
    for (const [start, end] of spans.slice(index)) {
      if (start > from && end > from + chars - 2 * slack) break;
      words.add(text.slice(start, end).toLowerCase());
      last = end;
    }
    if (words.size > best.words) {
      const lead = Math.max(slack, Math.floor((chars - (last - from)) / 2));
      best = { start: Math.max(0, from - lead), words: words.size };
    }
  }
  return best.start;
}

/** Moves a cut to the next word edge if one is near, and never into a surrogate pair. */
function toEdge(
  text: string,
  at: number,
  step: 1 | -1,
  slack: number,
): number {
  if (at <= 0 || at >= text.length) {
    return Math.min(Math.max(at, 0), text.length);
  }
  for (let i = 0; i < slack; i++) {
    const place = at + i * step;
    if (place <= 0 || place >= text.length) break;
    if (text[place - 1] === " ") return place;
  }
  return (text.codePointAt(at - 1) ?? 0) > 0xffff ? at + step : at;
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
  const slack = slackOf(chars);
  const rough = Math.min(
    bestStart(text, spans, chars),
    Math.max(0, text.length - chars),
  );
  const start = toEdge(text, rough, 1, slack);
  const end = text.length - start <= chars + slack
    ? text.length
    : toEdge(text, start + chars, -1, slack);
  const lead = start > 0 ? "…" : "";
  const tail = end < text.length ? "…" : "";
  const body = text.slice(start, end).trimEnd();
  const bodyEnd = start + body.length;
  return {
    text: lead + body + tail,
    highlights: spans
      .filter(([from, to]) => from < bodyEnd && to > start)
      .map(([from, to]) => [
        Math.max(from, start) - start + lead.length,
        Math.min(to, bodyEnd) - start + lead.length,
      ]),
  };
}
