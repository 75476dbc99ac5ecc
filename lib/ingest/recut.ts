import { type SectionId, toHex } from "../core/mod.ts";
import {
  type ChunkInput,
  deleteChunks,
  deleteVectors,
  insertChunks,
  iterateSections,
  listEnrichedChunks,
  listStoredChunks,
  listStoredVectors,
  putVectors,
  type Store,
  type StoredChunk,
  type StoredSection,
  type StoredVector,
} from "../store/mod.ts";
import { cutSection } from "./cut_section.ts";
import { toTextHash } from "./embed_pending.ts";
import type { Measure } from "./types.ts";

/** Sections that share a transaction. */
const BATCH_SECTIONS = 100;

/**
 * Makes the chunks of every section anew and keeps those that are as stored, vectors included; a
 * vector of another text is dropped.
 *
 * @returns Sections looked at, after each batch.
 */
export function* recutSections(
  store: Store,
  measure: Measure,
): Generator<number, void> {
  let batch: StoredSection[] = [];
  let done = 0;
  function flush(): void {
    store.write(() => batch.forEach((row) => recut(store, row, measure)));
    done += batch.length;
    batch = [];
  }
  for (const section of iterateSections(store)) {
    batch.push(section);
    if (batch.length < BATCH_SECTIONS) continue;
    flush();
    yield done;
  }
  flush();
  yield done;
}

function recut(store: Store, section: StoredSection, measure: Measure): void {
  const { id } = section;
  const wanted = cutSection(section, measure);
  const stored = listStoredChunks(store, id);
  const vectors = listStoredVectors(store, id);
  const same = wanted.length === stored.length &&
    wanted.every((chunk, index) => isSame(chunk, stored[index]));
  if (same) {
    for (const vector of vectors) {
      if (!isCurrent(vector)) deleteVectors(store, vector.chunkId);
    }
    return;
  }
  deleteChunks(store, id);
  insertChunks(store, [{ sectionId: id, chunks: wanted }]);
  reuseVectors(store, id, vectors);
}

/** Gives new chunks the vectors that were made of the same text. */
function reuseVectors(
  store: Store,
  id: SectionId,
  vectors: readonly StoredVector[],
): void {
  const known = new Map(
    vectors.map((
      vector,
    ) => [`${vector.modelId} ${toHex(vector.textHash)}`, vector]),
  );
  const models = new Set(vectors.map(({ modelId }) => modelId));
  for (const chunk of listEnrichedChunks(store, id)) {
    const textHash = toTextHash(chunk.enrichedText);
    for (const modelId of models) {
      const vector = known.get(`${modelId} ${toHex(textHash)}`)?.vector;
      if (vector === undefined) continue;
      putVectors(store, modelId, [{ chunkId: chunk.id, vector, textHash }]);
    }
  }
}

/** Says whether a vector is of its chunk's text as it is now. */
export function isCurrent(
  { enrichedText, textHash }: Pick<StoredVector, "enrichedText" | "textHash">,
): boolean {
  return toHex(toTextHash(enrichedText)) === toHex(textHash);
}

function isSame(wanted: ChunkInput, stored: StoredChunk | undefined): boolean {
  return stored !== undefined &&
    wanted.start + 1 === stored.textStart &&
    wanted.length === stored.textLength &&
    wanted.lineStart === stored.lineStart &&
    wanted.lineEnd === stored.lineEnd &&
    wanted.tokenCount === stored.tokenCount &&
    (wanted.text ?? null) === stored.text &&
    (wanted.searchText ?? null) === stored.searchText &&
    (wanted.identifiers ?? null) === stored.identifiers;
}
