import { sha256Hex } from "../core/mod.ts";
import { preprocess, type TextSection, toSections } from "../text/mod.ts";
import type { ArchiveDocument, ArchiveSection } from "./archive_types.ts";
import { toContext, toTargetPath } from "./prepare.ts";

/**
 * Gives a document of an export another text: that of a file that was edited, or has no hidden part.
 *
 * A note stays one section; everything else is cut at its headings, as Markdown.
 *
 * @param changedAt ISO 8601 UTC; when the text was written.
 */
export function editArchiveDocument(
  record: ArchiveDocument,
  text: string,
  changedAt: string,
): ArchiveDocument {
  const content = preprocess(text);
  const parsed = toSections(content, { mime: "text/markdown" });
  const isNote = record.doc_type === "note";
  const sections = isNote
    ? [{
      title: record.title,
      headingPath: [],
      level: 0,
      content,
      mime: "text/markdown",
      lineStart: 1,
      lineEnd: content.split("\n").length,
      links: parsed.sections.flatMap(({ links }) => links),
    }]
    : parsed.sections;
  return {
    ...record,
    content_hash: sha256Hex(content),
    updated_at: changedAt > record.created_at ? changedAt : record.created_at,
    sections: content === ""
      ? []
      : sections.map((section) => toArchived(record, section)),
  };
}

function toArchived(
  { title, source_path: path }: ArchiveDocument,
  section: TextSection,
): ArchiveSection {
  return {
    type: section.mime,
    title: section.title,
    description: section.description ?? null,
    context: toContext(title, section.headingPath),
    heading_path: section.headingPath,
    line_start: section.lineStart,
    line_end: section.lineEnd,
    page: null,
    exact_lines: true,
    standalone: false,
    content: section.content,
    links: section.links.map((link) => ({
      type: link.type,
      target: link.target,
      target_path: toTargetPath(link, path ?? undefined),
      label: link.label,
      context_snippet: link.contextSnippet,
      line: link.line,
    })),
  };
}
