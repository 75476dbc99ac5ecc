/**
 * Opens a generated base, loads the real model and answers queries, and prints how much memory the
 * process had at each step. Queries are read as JSON from standard input.
 *
 * @module
 */
import process from "node:process";
import { text } from "node:stream/consumers";
import { openEmbedder, resolveModel } from "../../lib/embed/mod.ts";
import { openKb } from "../../mod.ts";
import { BENCH_MODEL } from "./vectors.ts";

/** Resident bytes of the process. */
export interface MemorySteps {
  /** Base open, nothing asked. */
  readonly openedBytes: number;
  /** One query by word answered. */
  readonly wordsBytes: number;
  /** Vectors and model loaded, one query answered. */
  readonly modelBytes: number;
  /** All queries answered. */
  readonly queriesBytes: number;
}

async function measure(
  dir: string,
  queries: readonly string[],
): Promise<MemorySteps> {
  const embedder = openEmbedder(resolveModel(), { workers: 1 });
  await using kb = openKb({
    dir,
    // The base's vectors are stored under the generator's name, its queries are embedded for real.
    embedder: {
      dims: embedder.dims,
      windowTokens: embedder.windowTokens,
      modelId: BENCH_MODEL,
      embed: (texts, options) => embedder.embed(texts, options),
      close: () => embedder.close(),
      [Symbol.asyncDispose]: () => embedder.close(),
    },
  });
  const openedBytes = process.memoryUsage().rss;
  const [first = ""] = queries;
  await kb.search(first, { retriever: "fts" });
  const wordsBytes = process.memoryUsage().rss;
  await kb.search(first);
  const modelBytes = process.memoryUsage().rss;
  for (const query of queries) await kb.search(query);
  const queriesBytes = process.memoryUsage().rss;
  return { openedBytes, wordsBytes, modelBytes, queriesBytes };
}

if (import.meta.main) {
  const [dir = ""] = process.argv.slice(2);
  const queries = JSON.parse(await text(process.stdin));
  process.stdout.write(JSON.stringify(await measure(dir, queries)));
}
