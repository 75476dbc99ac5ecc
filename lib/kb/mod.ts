/**
 * The facade: everything a user can do with a base. The only thing front ends see.
 *
 * @module
 */
export type {
  EmbedReport,
  FileReport,
  FileState,
  NoteReport,
  Progress,
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
export type { DocumentFilter, TagCount } from "../store/mod.ts";
export type { Embedder, EmbeddingBatch, FailedRow } from "../embed/mod.ts";
export { Kb, openKb } from "./kb.ts";
export { listModels, type ModelOptions, verifyModel } from "./models.ts";
export type * from "./types.ts";
