/**
 * From files and notes to stored sections, and from stored chunks to vectors.
 *
 * @module
 */
export {
  addFiles,
  type AddFilesOptions,
  type AddFilesReport,
} from "./add_files.ts";
export { findGone, type Gone, listMembers, stopIfEmpty } from "./seen.ts";
export type { Scan } from "./scan.ts";
export type { RuleOptions } from "./ignore_rules.ts";
export { editArchiveDocument } from "./archive_edit.ts";
export { readArchiveDocument, toArchiveSection } from "./archive_read.ts";
export {
  type ArchiveStoreOptions,
  type ImportState,
  storeArchiveDocument,
  storeArchiveLoose,
  type StoredArchive,
  storeGathered,
} from "./archive_store.ts";
export type * from "./archive_types.ts";
export { type AgentInput, readAgent, storeAgent } from "./agents.ts";
export { learn, type LearnedSection, type LearnInput } from "./learn.ts";
export {
  fillPlaceholders,
  readSkill,
  type SkillArgument,
  type SkillDefinition,
  type SkillInput,
  storeSkill,
} from "./skills.ts";
export { isCurrent, recutSections } from "./recut.ts";
export { JobRunner, type JobRunnerOptions } from "./job_runner.ts";
export { Originals, type ReceivedFile } from "./originals.ts";
export { reindexVectors } from "./reindex.ts";
export type { FileJob, JobLabels, NoteJob } from "./run_job.ts";
export {
  readNoteText,
  updateNote,
  type UpdateNoteOptions,
} from "./update_note.ts";
export { addNote, type NoteInput, type NoteReport } from "./add_note.ts";
export {
  embedPending,
  type EmbedPendingOptions,
  type EmbedReport,
} from "./embed_pending.ts";
export { CHUNKER_VERSION, type NoteText } from "./prepare.ts";
export {
  type StoreDocumentOptions,
  storeDocuments,
  withPresent,
} from "./store_document.ts";
export type { FileReport, FileState, Measure, Progress } from "./types.ts";
export { type MeasureSource, openMeasure } from "./measure.ts";
export type { ArchiveState } from "./plan_archive.ts";
export type { FilePlan, FileToPlan, PlanFileOptions } from "./plan_file.ts";
export type { Planner, PlannerSetup } from "./planner.ts";
export { type FilePreview, previewFile } from "./preview.ts";
export { workerPlanner, type WorkerPlannerOptions } from "./worker_planner.ts";
export type { DocumentToStore } from "./store_document.ts";
export type { PreparedDocument, PreparedSection } from "./prepare.ts";
export { findFiles, type FoundFile, isTaken, resolveRoot } from "./walk.ts";
