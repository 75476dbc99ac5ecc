/**
 * From bytes to text, sections and chunks. Pure: no file, no clock, no store.
 *
 * @module
 */
export {
  type ArchiveFile,
  readArchiveFile,
  writeArchiveFile,
} from "./archive_markdown.ts";
export { toChunks, type ToChunksOptions } from "./chunks.ts";
export {
  type ArchiveBudget,
  type ArchiveMember,
  extract,
  EXTRACT_LIMITS,
  type Extracted,
  ExtractError,
  type ExtractErrorState,
  type ExtractInput,
  type ExtractLimits,
  type ExtractOptions,
  type Extractor,
  type MemberState,
  needsThread,
  readArchive,
} from "./extract/mod.ts";
export { keepPair, mendFences } from "./blocks.ts";
export { detect, recognise } from "./detect.ts";
export { isTextName } from "./formats.ts";
export {
  anchorMaker,
  type EmbedMark,
  findMarks,
  type HeadingMark,
  type MarkdownMarks,
  toAnchor,
  withoutFrontmatter,
} from "./marks.ts";
export { findImageType } from "./images.ts";
export { preprocess } from "./preprocess.ts";
export { hasOwnLines, toSections, type ToSectionsOptions } from "./sections.ts";
export { segmentForIndex, splitSegmented } from "./segment.ts";
export type {
  Detected,
  DetectedDocument,
  DetectedRejection,
  DetectedText,
  DocType,
  TextChunk,
  TextDocument,
  TextLink,
  TextSection,
} from "./types.ts";
