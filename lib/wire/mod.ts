/**
 * What a base says, as JSON: the records in snake case that REST and the `kb_*` tools answer with, each adding
 * what only it has; and what kbdb's own client and its engine say to each other.
 *
 * @module
 */
export {
  type Arguments,
  ENGINE_MEDIA,
  ENGINE_PATH,
  type EngineLine,
  FILES_PATH,
  fromWire,
  type JobMethods,
  type OperationName,
  type Operations,
  type OwnMethods,
  type Result,
  type Sendable,
  type SendableEach,
  STOP_PATH,
  toWire,
  type WireError,
} from "./engine.ts";
export {
  JOB_STATUSES,
  toDocumentJson,
  toJobJson,
  toStatusJson,
} from "./records.ts";
