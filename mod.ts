/**
 * kbdb as a library: a knowledge base in one directory, searched by word and by meaning.
 *
 * @example Add a folder and search it
 * ```ts ignore
 * import { openKb } from "@dikolab/kbdb";
 *
 * await using kb = openKb({ dir: ".kbdb" });
 * await kb.add("docs");
 * await kb.embed();
 * const { hits } = await kb.search("how do I restore a backup");
 * ```
 *
 * @module
 */
export {
  type ChunkId,
  type DocumentId,
  type Json,
  type JsonObject,
  KbError,
  type KbErrorCode,
  type KbErrorOptions,
  type Kbid,
  LIMITS,
  type SectionId,
} from "./lib/core/mod.ts";
export * from "./lib/kb/mod.ts";
