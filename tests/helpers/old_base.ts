import { DatabaseSync } from "node:sqlite";
import { sha256, toKbidOfHash } from "../../lib/core/mod.ts";
import { SCHEMA_1 } from "../../lib/store/schema_1.ts";
import { SCHEMA_2 } from "../../lib/store/schema_2.ts";
import { SCHEMA_3 } from "../../lib/store/schema_3.ts";
import { SCHEMA_4 } from "../../lib/store/schema_4.ts";

/** Schema versions before vectors had 8 bits. */
export type OldVersion = 1 | 2 | 4;

/** A section as the code of schemas 1 to 4 stored it, one chunk each. */
export interface OldSection {
  readonly content: string;
  readonly context: string;
  readonly createdAt: string;
  /** Vector of its chunk. */
  readonly vector?: Uint8Array;
}

/** Packs a vector as schemas 1 to 4 stored it: int8 values, 4-bit remainders, a float32 scale. */
export function packOld(vector: Float32Array): Uint8Array {
  const dims = vector.length;
  const scale = vector.reduce((max, v) => Math.max(max, Math.abs(v)), 0) / 127;
  const bytes = new Uint8Array(dims * 1.5 + 4);
  for (const [index, value] of vector.entries()) {
    const steps = scale === 0 ? 0 : value / scale;
    const whole = Math.max(-127, Math.min(127, Math.round(steps)));
    const level = Math.max(
      0,
      Math.min(15, Math.floor((steps - whole + 0.5) * 16)),
    );
    bytes[index] = whole;
    const at = dims + (index >> 1);
    bytes[at] = (bytes[at] ?? 0) | (index % 2 === 0 ? level : level << 4);
  }
  new DataView(bytes.buffer).setFloat32(dims * 1.5, scale, true);
  return bytes;
}

/**
 * Makes a base file with the SQL of an old schema, as the code of its time filled it: one document
 * of all sections, with a tag and a link from its first section.
 */
export function makeOldBase(
  path: string,
  version: OldVersion,
  sections: readonly OldSection[],
): void {
  const db = new DatabaseSync(path);
  try {
    db.exec("PRAGMA page_size = 8192; PRAGMA journal_mode = WAL");
    for (
      const sql of [SCHEMA_1, SCHEMA_2, SCHEMA_3, SCHEMA_4].slice(0, version)
    ) {
      db.exec(sql);
    }
    db.exec(
      `PRAGMA application_id = 0x6b626462; PRAGMA user_version = ${version};
      INSERT INTO documents(id, docid, title, doc_type, mime, content_hash, created_at)
        VALUES (1, 'old', 'Old', 'text', 'text/plain', 'hash', '2026-01-01T00:00:00.000Z');
      INSERT INTO tags(name) VALUES ('kept');
      INSERT INTO document_tags VALUES (1, 1);
      INSERT INTO models VALUES (1, 'model-1', 'model-1', 4, '2026-01-01T00:00:00.000Z');`,
    );
    for (const [index, section] of sections.entries()) {
      insertSection(db, index + 1, section);
    }
    db.exec(
      `INSERT INTO links(document_id, section_id, link_type, target, label, context_snippet, line)
        VALUES (1, 1, 'wikilink', 'Other', 'Other', 'See Other.', 1)`,
    );
  } finally {
    db.close();
  }
}

function insertSection(
  db: DatabaseSync,
  id: number,
  { content, context, createdAt, vector }: OldSection,
): void {
  const hash = sha256(content);
  db.prepare(
    `INSERT INTO sections(id, kbid, section_type, title, context, content, size, content_sha256,
      created_at) VALUES (?, ?, 'text/plain', 'Title', ?, ?, ?, ?, ?)`,
  ).run(
    id,
    toKbidOfHash(hash),
    context,
    content,
    new TextEncoder().encode(content).length,
    hash,
    createdAt,
  );
  db.prepare("INSERT INTO document_sections VALUES (1, ?, ?, '[]', 1, 1)")
    .run(id - 1, id);
  db.prepare(
    `INSERT INTO chunks(id, section_id, chunk_index, text_start, text_length, line_start, line_end,
      token_count) VALUES (?, ?, 0, 1, ?, 0, 0, 1)`,
  ).run(id, id, [...content].length);
  if (vector === undefined) return;
  db.prepare(
    "INSERT INTO chunk_vectors(chunk_id, model_id, vector, text_hash) VALUES (?, 1, ?, ?)",
  ).run(id, vector, sha256(`${context}\n\n${content}`).subarray(0, 16));
}
