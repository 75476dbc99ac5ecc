/**
 * Schema version 4: documents are found by title and by file name, as references name them.
 *
 * `file_name` is what is behind the last slash of `source_path`: `rtrim()` takes off every character
 * that is no slash. A wiki link is a name and never a path, so it has no `target_path` any more.
 */
export const SCHEMA_4 = `
ALTER TABLE documents ADD COLUMN file_name TEXT GENERATED ALWAYS AS (
  substr(source_path, 1 + length(rtrim(replace(source_path, '\\', '/'),
    replace(replace(source_path, '\\', '/'), '/', ''))))
) VIRTUAL;
CREATE INDEX documents_title ON documents(title COLLATE NOCASE);
CREATE INDEX documents_file_name ON documents(file_name COLLATE NOCASE);
CREATE INDEX sections_standalone_title ON sections(title COLLATE NOCASE) WHERE standalone = 1;
UPDATE links SET target_path = NULL WHERE link_type IN ('wikilink', 'embed');
`;
