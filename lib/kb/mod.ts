/**
 * The facade: everything a user can do with a base. The only thing front ends see.
 *
 * @module
 */
export type {
  AgentInput,
  EmbedReport,
  FileReport,
  FileState,
  FoundFile,
  NoteReport,
  Progress,
  ReceivedFile,
  RuleOptions,
  SkillArgument,
  SkillDefinition,
  SkillInput,
} from "../ingest/mod.ts";
export type {
  Degradation,
  Hit,
  HitExplanation,
  HitPlace,
  SearchAnswer,
  SearchOptions,
  SearchStats,
  SearchTimings,
  Snippet,
} from "../search/mod.ts";
export type {
  ComposeOptions,
  Composition,
  ContentTruncated,
  RecallAnswer,
  RecalledBackReference,
  RecalledContent,
  RecalledDocument,
  RecalledHead,
  RecalledReference,
  RecalledSection,
  RecallOptions,
} from "../compose/mod.ts";
export { fillPlaceholders } from "../ingest/mod.ts";
export type { RenameCollectionOptions } from "./collections.ts";
export type {
  CatalogVersions,
  CollectionCount,
  DocumentFilter,
  TagCount,
} from "../store/mod.ts";
export {
  type Device,
  type Embedder,
  type EmbeddingBatch,
  type EndpointOptions,
  type FailedRow,
  openEndpoint,
  pullModel,
  type PullModelOptions,
  type PullProgress,
  type PullReport,
  registerModel,
  type RegisterModelOptions,
} from "../embed/mod.ts";
export {
  type ApiKey,
  ApiKeys,
  type ApiKeysOptions,
  type KeyScope,
  openApiKeys,
  type StoredKey,
} from "./api_keys.ts";
export { backupBase, type BackupOptions, type BackupReport } from "./backup.ts";
export {
  type BackupFile,
  type BackupManifest,
  verifyBackup,
} from "./backup_manifest.ts";
export { takeLock } from "../store/mod.ts";
export type { Answer, Asynchronous, Engine, EngineJobs } from "./engine.ts";
export { exportBase, type ExportOptions, type ExportReport } from "./export.ts";
export type {
  ImportItem,
  ImportOptions,
  ImportReport,
} from "./import_types.ts";
export * from "./about.ts";
export { type DatabaseInspection, inspectDatabase } from "./inspect.ts";
export { Kb, openKb } from "./kb.ts";
export type {
  Job,
  JobPage,
  JobQueue,
  JobQueueOptions,
  SubmitOptions,
} from "./jobs.ts";
export type {
  NoteKb,
  TagChanges,
  UpdateNoteOptions,
  UpdateNoteReport,
} from "./note_kb.ts";
export {
  restoreBase,
  type RestoreOptions,
  type RestoreReport,
} from "./restore.ts";
export type { SectionKb } from "./section_kb.ts";
export {
  type ExtractedDocument,
  type ExtractedSection,
  extractFile,
  type ExtractReport,
} from "./preview.ts";
export { verifyModel } from "./known_models.ts";
export type * from "./section_types.ts";
export type * from "./sync_types.ts";
export { watchFolders, type WatchOptions } from "./watch.ts";
export type * from "./types.ts";
