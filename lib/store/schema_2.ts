/**
 * Schema version 2: sections that stand alone, and fast ways to skills and to what links name.
 *
 * A section learned on its own (`standalone`) outlives the documents it is in. References by name
 * (`[[Title]]`, `kbdb://…`) are found by their target, those of files by `target_path` as before.
 */
export const SCHEMA_2 = `
ALTER TABLE sections ADD COLUMN standalone INTEGER NOT NULL DEFAULT 0;
CREATE INDEX sections_skill ON sections(id) WHERE section_type = 'skill';
CREATE INDEX documents_agent ON documents(id) WHERE doc_type = 'agent';
CREATE INDEX links_target ON links(target COLLATE NOCASE) WHERE target_path IS NULL;
`;
