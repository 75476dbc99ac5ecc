import { normalizeText } from "../preprocess.ts";
import {
  GROUP_CHARS,
  groupMembers,
  type Heading,
  linesOf,
  type Member,
  toOutlined,
  toParts,
  toWhole,
} from "./outline.ts";
import type { Extracted, ExtractInput } from "./types.ts";

/** Extracts YAML: one section for each top-level key, short ones together. Nothing is resolved. */
export function extractYaml(
  { text = "", mime }: ExtractInput,
): Promise<Extracted> {
  const normal = normalizeText(text);
  const facts = { mime, docType: "code" } as const;
  return Promise.resolve(
    normal.length <= GROUP_CHARS
      ? toWhole(normal, facts)
      : toOutlined(normal, groupMembers(yamlMembers(normal), []), facts),
  );
}

/** Top-level keys and items, each with the comments before it. */
function* yamlMembers(text: string): Generator<Member> {
  let open: { start: number; title: string } | undefined;
  let comment: number | undefined;
  for (const { start, text: line } of linesOf(text)) {
    const isComment = line.startsWith("#");
    const [, quoted, plain] =
      /^(?:["']([^"']+)["']|([^\s#\-:][^:#]*?|-[^\s][^:]*?))\s*:(?:\s|$)/.exec(
        line,
      ) ?? [];
    const title = quoted ?? plain;
    const isMember = title !== undefined || /^(?:- |-$|---)/.test(line);
    if (isComment) comment ??= start;
    if (isMember) {
      const from = comment ?? start;
      if (open !== undefined) yield { ...open, end: from };
      open = { start: from, title: title ?? "" };
    }
    if (!isComment) comment = undefined;
  }
  if (open !== undefined) yield { ...open, end: text.length };
}

/** Extracts TOML and INI: one section for each table, the text as it stands. */
export function extractTables(
  { text = "", mime }: ExtractInput,
): Promise<Extracted> {
  const normal = normalizeText(text);
  const facts = { mime, docType: "code" } as const;
  if (normal.length <= GROUP_CHARS) {
    return Promise.resolve(toWhole(normal, facts));
  }
  const headings: Heading[] = [];
  let string: string | undefined;
  let comment: number | undefined;
  for (const { start, text: line } of linesOf(normal)) {
    if (string === undefined && /^[#;]/.test(line)) {
      comment ??= start;
      continue;
    }
    const [, name = ""] = string === undefined
      ? /^\s*\[{1,2}\s*([^\]]+?)\s*\]{1,2}\s*(?:[#;].*)?$/.exec(line) ?? []
      : [];
    if (name !== "") {
      headings.push({ start: comment ?? start, level: 1, title: name });
    }
    comment = undefined;
    for (const [mark] of line.matchAll(/"""|'''/g)) {
      if (string === undefined) string = mark;
      else if (string === mark) string = undefined;
    }
  }
  return Promise.resolve(toOutlined(normal, toParts(headings), facts));
}
