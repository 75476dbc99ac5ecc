/**
 * Schema version 6: sections of documents that are no text files.
 *
 * `page` is the page, slide or sheet a section begins on. `exact_lines` is 0 where its text was made
 * anew, so that its lines are not those of the file: of its chunks no more is known than its own lines.
 */
export const SCHEMA_6 = `
ALTER TABLE document_sections ADD COLUMN page INTEGER;
ALTER TABLE document_sections ADD COLUMN exact_lines INTEGER NOT NULL DEFAULT 1;
`;
