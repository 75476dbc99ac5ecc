import type { TextSection } from "../types.ts";
import { htmlToSections } from "./html_builder.ts";
import type { OfficeFacts } from "./office_facts.ts";
import { type Extracted, ExtractError, type ExtractLimits } from "./types.ts";

/** One slide of a presentation. */
export interface Slide {
  /** Its title as `<h1>`, then the rest. */
  readonly html: string;
  /** What the speaker notes, as HTML of paragraphs. */
  readonly notes: readonly string[];
}

/** Makes a document of slides: each is a page, with its notes below it. */
export function slidesToDocument(
  slides: Iterable<Slide>,
  facts: OfficeFacts,
  { pages, textChars, depth }: ExtractLimits,
): Extracted {
  const sections: TextSection[] = [];
  let page = 0;
  let chars = 0;
  let first: string | null = null;
  for (const { html, notes } of slides) {
    page++;
    const said = notes.filter((note) => note.trim() !== "");
    const below = said.length === 0
      ? ""
      : `<p>Notes:</p>${said.map((note) => `<p>${note}</p>`).join("")}`;
    chars += html.length + below.length;
    if (page > pages || chars > textChars) {
      throw new ExtractError(
        "too_large",
        page > pages
          ? `The presentation has more than ${pages} slides; split it.`
          : `The presentation holds more than ${textChars} characters; split it.`,
      );
    }
    const made = htmlToSections(html + below, { depth, page });
    first ??= made.title;
    sections.push(...made.sections);
  }
  return {
    ...facts,
    title: facts.title ?? first,
    docType: "slides",
    tags: [],
    sections,
    warnings: [],
  };
}
