/**
 * All SQL in kbdb: driver, schema, documents, sections, full text, vectors, tags.
 *
 * @module
 */
export * from "./api_keys.ts";
export * from "./archive.ts";
export * from "./chunks.ts";
export * from "./collections.ts";
export * from "./documents.ts";
export {
  isAlone,
  openReadOnly,
  openStore,
  type OpenStoreOptions,
  type SqlValue,
  Store,
} from "./driver.ts";
export * from "./filters.ts";
export * from "./full_text.ts";
export * from "./links.ts";
export { SCHEMA_VERSION } from "./migrations.ts";
export * from "./jobs.ts";
export * from "./note_history.ts";
export * from "./placements.ts";
export * from "./section_heads.ts";
export * from "./sections.ts";
export * from "./standing.ts";
export {
  readQuickFaults,
  readSnapshot,
  type SnapshotFacts,
  writeSnapshot,
} from "./snapshot.ts";
export * from "./stats.ts";
export * from "./sync_roots.ts";
export * from "./tags.ts";
export * from "./vectors.ts";
export * from "./verify.ts";
export * from "./versions.ts";
export { takeLock } from "./lock.ts";
