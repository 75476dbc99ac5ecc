import { join } from "node:path";
import { openKb } from "../../mod.ts";
import {
  listPendingChunks,
  openStore,
  type PendingChunk,
} from "../../lib/store/mod.ts";
import { type Bases, databaseOf } from "./bases.ts";

/** No model has this id, so every chunk counts as waiting for its vector. */
const NO_MODEL = -1;
const PAGE_CHUNKS = 1000;

/** Chunks of a real text. */
export interface Sample {
  /** Base they are in. */
  readonly dir: string;
  /** As many as were asked for, if the text has them, spread evenly over it. */
  readonly chunks: readonly PendingChunk[];
}

/** Adds a folder to a base and picks some of its chunks. */
export async function sampleChunks(
  bases: Bases,
  data: string,
  count: number,
): Promise<Sample> {
  const dir = join(bases.dir, "sample");
  await using kb = openKb({ dir });
  await kb.add(data);
  const step = Math.max(1, Math.floor(kb.status().chunks / count));
  using store = openStore(databaseOf(dir));
  const chunks: PendingChunk[] = [];
  let after = 0;
  let index = 0;
  while (true) {
    const page = listPendingChunks(store, NO_MODEL, PAGE_CHUNKS, after);
    const last = page.at(-1);
    if (last === undefined) break;
    chunks.push(...page.filter(() => index++ % step === 0));
    after = last.id;
  }
  return { dir, chunks: chunks.slice(0, count) };
}
