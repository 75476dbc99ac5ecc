/**
 * From a query to ranked hits: parse, retrieve by word and by vector, fuse, group, snippet.
 *
 * @module
 */
export { VECTOR_WEIGHT } from "./fuse.ts";
export {
  readSearchStats,
  search,
  type SearchContext,
  type VectorSource,
} from "./search.ts";
export type { Snippet } from "./snippet.ts";
export { countWords } from "./words.ts";
export type {
  Degradation,
  Hit,
  HitExplanation,
  HitPlace,
  SearchAnswer,
  SearchOptions,
  SearchStats,
  SearchTimings,
} from "./types.ts";
export {
  type RankedVector,
  VectorIndex,
  type VectorSearch,
} from "./vector_index.ts";
