/**
 * From the bytes of a file to a document: one extractor a format, loaded when it is needed.
 *
 * @module
 */
export {
  extract,
  EXTRACT_LIMITS,
  type ExtractOptions,
  needsThread,
} from "./extract.ts";
export {
  type ArchiveBudget,
  type ArchiveMember,
  type MemberState,
  readArchive,
} from "./archive.ts";
export {
  type Extracted,
  ExtractError,
  type ExtractErrorState,
  type ExtractInput,
  type ExtractLimits,
  type Extractor,
} from "./types.ts";
