import {
  type Embedder,
  loadTokenizer,
  openEmbedder,
  resolveModel,
} from "../../lib/embed/mod.ts";
import { percentile } from "../measure.ts";
import type { Bases } from "./bases.ts";
import { runChild } from "./child.ts";
import { sampleChunks } from "./sample.ts";
import { ratio, type Report } from "./table.ts";
import { makeQueries } from "./text.ts";

/** Texts handed over at a time, as the product does, with a second batch waiting. */
const BATCH_TEXTS = 32;
const THREADS_TIMEOUT_MS = 300_000;

/** How fast one way of running the model is. */
interface Speed {
  /** Chunks a second. */
  readonly rate: number;
  /** Time of each short query in ms. */
  readonly queriesMs: readonly number[];
}

interface Work {
  readonly texts: readonly string[];
  readonly queries: readonly string[];
  readonly tokens: number;
}

/** Measures the model on real chunks, run in each of the ways there are. */
export async function benchEmbed(
  bases: Bases,
  report: Report,
  options: {
    readonly data: string;
    readonly chunks: number;
    readonly queries: number;
  },
): Promise<void> {
  const part = "embed";
  const model = resolveModel();
  const { chunks } = await sampleChunks(bases, options.data, options.chunks);
  const texts = chunks.map(({ enrichedText }) => enrichedText);
  const tokenizer = loadTokenizer(model);
  const tokens = texts.reduce(
    (sum, text) =>
      sum + tokenizer.encode(text, model.spec.windowTokens).ids.length,
    0,
  );
  const work: Work = {
    texts,
    tokens,
    queries: makeQueries(bases.vocabulary, "content words", options.queries),
  };
  report({
    part,
    measure: `real chunks, ${model.spec.id}`,
    value: texts.length,
    unit: "chunks",
  });
  report({
    part,
    measure: "tokens a chunk, context and marks counted",
    value: tokens / texts.length,
    unit: "tokens",
  });
  const one = await measure(openEmbedder(model, { workers: 1 }), work);
  reportSpeed(report, "web, 1 worker", one, work);
  const ways: [string, () => Promise<Speed>][] = [
    [
      "web, 2 workers",
      () => measure(openEmbedder(model, { workers: 2 }), work),
    ],
    ["web, 1 worker of 2 threads", () => measureThreads(work, 2)],
    ["node, 1 thread", () => measureNative(work, 1)],
    ["node, 2 threads", () => measureNative(work, 2)],
  ];
  for (const [name, run] of ways) {
    try {
      reportSpeed(report, name, await run(), work, one);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      report({
        part,
        measure: name,
        value: `not available: ${reason.split("\n")[0]}`,
      });
    }
  }
}

/** Embeds all texts, then the queries one by one. Closes the embedder. */
async function measure(opened: Embedder, work: Work): Promise<Speed> {
  await using embedder = opened;
  const { texts, queries } = work;
  // Long enough for the last worker to start.
  await embedder.embed(texts.slice(0, BATCH_TEXTS), { role: "passage" });
  const started = performance.now();
  let before: Promise<unknown> = Promise.resolve();
  for (let from = 0; from < texts.length; from += BATCH_TEXTS) {
    const batch = embedder.embed(texts.slice(from, from + BATCH_TEXTS), {
      role: "passage",
    });
    await before;
    before = batch;
  }
  await before;
  const rate = texts.length / ((performance.now() - started) / 1000);
  const queriesMs: number[] = [];
  for (const query of queries) {
    const asked = performance.now();
    await embedder.embed([query], { role: "query" });
    queriesMs.push(performance.now() - asked);
  }
  return { rate, queriesMs };
}

async function measureNative(work: Work, threads: number): Promise<Speed> {
  const { openNativeEmbedder } = await import("../native_embedder.ts");
  return await measure(await openNativeEmbedder(threads), work);
}

/** Runs onnxruntime-web with threads of its own, in a process that can be ended if it hangs. */
async function measureThreads(
  { texts, queries }: Work,
  threads: number,
): Promise<Speed> {
  const { result } = await runChild<Speed>("ort_threads.ts", {
    input: JSON.stringify({ texts, queries, threads }),
    timeoutMs: THREADS_TIMEOUT_MS,
  });
  return result;
}

function reportSpeed(
  report: Report,
  name: string,
  { rate, queriesMs }: Speed,
  { texts, tokens }: Work,
  base?: Speed,
): void {
  const part = "embed";
  const queryMs = percentile(queriesMs, 0.5);
  const note = (value: number, of: number | undefined) =>
    of === undefined ? {} : { note: ratio(value, of, "web, 1 worker") };
  report({
    part,
    measure: `${name}: chunks a second`,
    value: rate,
    unit: "chunks/s",
    ...note(rate, base?.rate),
  });
  report({
    part,
    measure: `${name}: tokens a second`,
    value: rate * tokens / texts.length,
    unit: "tokens/s",
  });
  report({
    part,
    measure: `${name}: short query, warm`,
    value: queryMs,
    p95: percentile(queriesMs, 0.95),
    unit: "ms",
    ...note(queryMs, base && percentile(base.queriesMs, 0.5)),
  });
}
