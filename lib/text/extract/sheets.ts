import { cleanTitle } from "../frontmatter.ts";
import type { TextSection } from "../types.ts";
import type { OfficeFacts } from "./office_facts.ts";
import { type Row, tableToSections } from "./table.ts";
import { type Extracted, ExtractError, type ExtractLimits } from "./types.ts";

/** One sheet of a workbook. */
export interface Sheet {
  readonly name: string;
  /** Rows with words in them; lines are the numbers of the rows, from 1. */
  readonly rows: Iterable<Row>;
}

/** Makes a document of sheets: each is a page, named as the sheet. */
export function sheetsToDocument(
  sheets: Iterable<Sheet>,
  facts: OfficeFacts,
  { pages, textChars }: ExtractLimits,
): Extracted {
  const sections: TextSection[] = [];
  const numbered: string[] = [];
  let page = 0;
  let chars = 0;
  for (const { name, rows } of sheets) {
    if (++page > pages) {
      throw new ExtractError(
        "too_large",
        `The workbook has more than ${pages} sheets; split it.`,
      );
    }
    const title = cleanTitle(name);
    const table = tableToSections(countChars(rows));
    if (table.columns === undefined && table.sections.length > 0) {
      numbered.push(name);
    }
    for (const section of table.sections) {
      sections.push({
        ...section,
        title,
        headingPath: title === null ? [] : [title],
        level: title === null ? 0 : 1,
        page,
      });
    }
  }
  function* countChars(rows: Iterable<Row>): Generator<Row> {
    for (const row of rows) {
      for (const cell of row.cells) chars += cell.length;
      if (chars > textChars) {
        throw new ExtractError(
          "too_large",
          `The workbook holds more than ${textChars} characters; split it.`,
        );
      }
      yield row;
    }
  }
  return {
    ...facts,
    docType: "sheet",
    tags: [],
    sections,
    warnings: numbered.map((name) =>
      `The sheet ${
        JSON.stringify(name)
      } has no header; its columns are numbered.`
    ),
  };
}
