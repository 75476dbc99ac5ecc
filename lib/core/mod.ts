/**
 * Types, errors, ids and limits every other folder speaks in. Imports nothing.
 *
 * @module
 */
export { KbError, type KbErrorCode, type KbErrorOptions } from "./errors.ts";
export {
  isCodeType,
  listIdentifierParts,
  splitIdentifier,
} from "./identifiers.ts";
export {
  isKbid,
  sha256,
  sha256Hex,
  toHashStart,
  toHex,
  toKbid,
  toKbidOfHash,
} from "./ids.ts";
export { type Labels, splitLabels } from "./labels.ts";
export { LIMITS } from "./limits.ts";
export { override } from "./override.ts";
export { isDiskFull, limitBytes } from "./receiving.ts";
export { mayListen, ROOT_URL, type WorkerEntry, workerUrl } from "./runtime.ts";
export type {
  ChunkId,
  CountTokens,
  DocumentId,
  Json,
  JsonObject,
  Kbid,
  LinkType,
  SectionId,
} from "./types.ts";
