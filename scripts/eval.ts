/**
 * Retrieval quality on a directory in BEIR layout: indexes it and prints nDCG@10, Recall@100,
 * MRR@10 and times.
 *
 * `deno task eval --data DIR --mode fts|vec|hybrid|all [--format json] [--weight W] [--workers N]
 * [--native]`. The base is kept in `.cache/eval/`, so that only the first run embeds. `--native`
 * embeds with onnxruntime-node, several times as fast with all but the same vectors.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import process from "node:process";
import { parseArgs } from "node:util";
import { type Embedder, type Kb, openKb, type SearchOptions } from "../mod.ts";
import {
  type EvalSet,
  type Quality,
  readCorpus,
  readEvalSet,
  scoreRankings,
} from "./eval_set.ts";
import { percentile } from "./measure.ts";

/** What `--mode` may be. */
export type EvalMode = "fts" | "vec" | "hybrid";

/** What one evaluation came to. */
export interface EvalResult extends Quality {
  /** Name of the set. */
  readonly set: string;
  /** Retrievers asked. */
  readonly mode: EvalMode;
  /** Documents in the base. */
  readonly documents: number;
  /** Chunks in the base. */
  readonly chunks: number;
  /** Judged queries. */
  readonly queries: number;
  /** Time to store and embed, in ms; near 0 if the base was there. */
  readonly indexMs: number;
  /** Median time of a query in ms, its embedding included. */
  readonly queryP50Ms: number;
  /** 95th percentile of the same. */
  readonly queryP95Ms: number;
}

const RETRIEVERS = { fts: "fts", vec: "vector", hybrid: "hybrid" } as const;

/** How to evaluate. */
export interface EvaluateOptions {
  /** Share of the vector score in the fusion. */
  readonly vectorWeight?: number;
  /** Embedding workers. */
  readonly workers?: number;
  /** Makes the vectors instead of workers. */
  readonly embedder?: Embedder;
  /** Called now and then while embedding. */
  readonly onNote?: (text: string) => void;
}

/** Opens the cached base of a set. */
function openCached(dir: string, { workers, embedder }: EvaluateOptions): Kb {
  const hash = createHash("sha256").update(
    readFileSync(join(dir, "corpus.jsonl")),
  );
  const name = `${basename(resolve(dir))}-${hash.digest("hex").slice(0, 12)}`;
  const cache = fileURLToPath(
    new URL(`../.cache/eval/${name}/`, import.meta.url),
  );
  mkdirSync(cache, { recursive: true });
  return openKb({
    dir: cache,
    ...(workers === undefined ? {} : { workers }),
    ...(embedder === undefined ? {} : { embedder }),
  });
}

/** Adds every document of a set as a note; answers which ids each stored document stands for. */
async function addCorpus(kb: Kb, dir: string): Promise<Map<number, string[]>> {
  const idsOf = new Map<number, string[]>();
  for await (const { id, title, text } of readCorpus(dir)) {
    if (text.trim() === "") continue;
    const { documentId } = kb.addNote(text, title === "" ? {} : { title });
    idsOf.set(documentId, [...(idsOf.get(documentId) ?? []), id]);
  }
  return idsOf;
}

/** Ranks the documents of a set for each of its queries. */
async function rank(
  kb: Kb,
  set: EvalSet,
  idsOf: ReadonlyMap<number, readonly string[]>,
  options: SearchOptions,
): Promise<{ rankings: Map<string, string[]>; timesMs: number[] }> {
  const rankings = new Map<string, string[]>();
  const timesMs: number[] = [];
  for (const [query, text] of set.queries) {
    const started = performance.now();
    const { hits } = await kb.search(text, {
      ...options,
      groupBy: "document",
      limit: 100,
    });
    timesMs.push(performance.now() - started);
    rankings.set(
      query,
      hits.flatMap((hit) => idsOf.get(hit.documentId ?? -1) ?? []),
    );
  }
  return { rankings, timesMs };
}

/**
 * Evaluates one set in one or more modes.
 *
 * @param dir Directory in BEIR layout.
 * @param modes What to measure.
 * @param options Fusion weight, workers, progress.
 */
export async function evaluate(
  dir: string,
  modes: readonly EvalMode[],
  options: {
    vectorWeight?: number;
    workers?: number;
    onNote?: (text: string) => void;
  } = {},
): Promise<EvalResult[]> {
  const set = await readEvalSet(dir);
  await using kb = openCached(dir, options);
  const started = performance.now();
  const idsOf = await addCorpus(kb, dir);
  if (modes.some((mode) => mode !== "fts")) {
    await kb.embed({
      onProgress: ({ done, total, doneSize, totalSize }) => {
        const seconds = (performance.now() - started) / 1000;
        options.onNote?.(
          `${done}/${total} chunks, ${doneSize}/${totalSize} tokens, ${
            Math.round(doneSize / seconds)
          } tokens/s`,
        );
      },
    });
  }
  const indexMs = performance.now() - started;
  const { documents, chunks } = kb.status();
  const results: EvalResult[] = [];
  for (const mode of modes) {
    const { vectorWeight } = options;
    const { rankings, timesMs } = await rank(kb, set, idsOf, {
      retriever: RETRIEVERS[mode],
      ...(vectorWeight === undefined ? {} : { vectorWeight }),
    });
    results.push({
      set: basename(resolve(dir)),
      mode,
      ...scoreRankings(set, rankings),
      documents,
      chunks,
      queries: set.queries.size,
      indexMs,
      queryP50Ms: percentile(timesMs, 0.5),
      queryP95Ms: percentile(timesMs, 0.95),
    });
  }
  return results;
}

function isMode(text: string): text is EvalMode {
  return text in RETRIEVERS;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      data: { type: "string" },
      mode: { type: "string", default: "hybrid" },
      format: { type: "string", default: "text" },
      weight: { type: "string" },
      workers: { type: "string" },
      native: { type: "boolean", default: false },
    },
  });
  const modes = values.mode === "all"
    ? ["fts", "vec", "hybrid"]
    : [values.mode];
  if (values.data === undefined || !modes.every(isMode)) {
    process.stderr.write(
      "Usage: deno task eval --data DIR --mode fts|vec|hybrid|all [--format json] [--weight 0..1] [--workers N] [--native]\n",
    );
    process.exitCode = 2;
    return;
  }
  let lastNote = 0;
  const results = await evaluate(values.data, modes, {
    ...(values.weight === undefined
      ? {}
      : { vectorWeight: Number(values.weight) }),
    ...(values.workers === undefined
      ? {}
      : { workers: Number(values.workers) }),
    ...(values.native
      ? {
        embedder: await (await import("./native_embedder.ts"))
          .openNativeEmbedder(),
      }
      : {}),
    onNote: (text) => {
      if (performance.now() - lastNote < 10_000) return;
      lastNote = performance.now();
      process.stderr.write(text + "\n");
    },
  });
  for (const result of results) {
    process.stdout.write(
      values.format === "json"
        ? JSON.stringify(result) + "\n"
        : toLine(result) + "\n",
    );
  }
}

function toLine(result: EvalResult): string {
  const { set, mode, ndcg10, recall100, mrr10, documents, chunks, queries } =
    result;
  return `${set} ${mode}: nDCG@10 ${ndcg10.toFixed(4)}  Recall@100 ${
    recall100.toFixed(4)
  }  ` +
    `MRR@10 ${
      mrr10.toFixed(4)
    }  (${queries} queries, ${documents} documents, ${chunks} chunks; ` +
    `index ${(result.indexMs / 1000).toFixed(1)} s, query p50 ${
      result.queryP50Ms.toFixed(1)
    } ms, ` +
    `p95 ${result.queryP95Ms.toFixed(1)} ms)`;
}

if (import.meta.main) await main();
