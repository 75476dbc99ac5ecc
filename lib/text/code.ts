import { isBlankSpan, nextLine } from "./blocks.ts";

/** A file of at most this many lines is one section. */
const WHOLE_LINES = 80;
/** From here on a section ends before the next definition. */
const SMALL_LINES = 20;
/** From here on it ends before anything that begins in the first column. */
const FULL_LINES = 60;
/** From here on it ends at any blank line. */
const LONG_LINES = 120;
/** It never gets longer than this. */
const MOST_LINES = 240;

/** Words that begin a definition at the top level of common languages. */
const DEFINITION =
  /^(?:@|#\[|\/\*\*|(?:export|default|public|private|protected|internal|static|abstract|final|async|pub(?:\([a-z]+\))?|unsafe|extern|inline|open|sealed|data) |(?:function|func|fn|fun|def|class|interface|struct|enum|trait|impl|mod|module|namespace|type|const|let|var|val|object|record|macro_rules!|sub|procedure|create|template)\b)/i;

/**
 * Finds where to cut source code: before top-level definitions, else at blank lines.
 *
 * @param text Source code with LF line ends.
 * @returns UTF-16 offsets of line starts, rising, the first is 0.
 */
export function findCodeEdges(text: string): number[] {
  const edges = [0];
  let lines = 0;
  let isFirstAfterBlank = false;
  let total = 0;
  for (let start = 0; start < text.length;) {
    const end = nextLine(text, start);
    total++;
    if (isBlankSpan(text, start, end)) {
      isFirstAfterBlank = true;
      lines++;
    } else {
      if (
        lines >= MOST_LINES ||
        (isFirstAfterBlank && endsBefore(text, start, lines))
      ) {
        edges.push(start);
        lines = 0;
      }
      isFirstAfterBlank = false;
      lines++;
    }
    start = end;
  }
  return total <= WHOLE_LINES ? [0] : edges;
}

/** Says whether a section of so many lines ends before a line that follows a blank one. */
function endsBefore(text: string, start: number, lines: number): boolean {
  if (lines >= LONG_LINES) return true;
  if (lines < SMALL_LINES) return false;
  const first = text.charAt(start);
  if (first === " " || first === "\t" || ")]}".includes(first)) return false;
  return lines >= FULL_LINES || DEFINITION.test(text.slice(start, start + 40));
}
