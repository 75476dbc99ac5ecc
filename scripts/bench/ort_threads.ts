/**
 * Runs the model in onnxruntime-web with several threads in one session: reads texts as JSON from
 * standard input and prints how fast they were embedded.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import process from "node:process";
import { text } from "node:stream/consumers";
import * as ort from "onnxruntime-web";
import { loadTokenizer, resolveModel } from "../../lib/embed/mod.ts";

interface Input {
  readonly texts: readonly string[];
  readonly queries: readonly string[];
  readonly threads: number;
}

const WARM_UP_TEXTS = 8;

const { texts, queries, threads }: Input = JSON.parse(
  await text(process.stdin),
);
ort.env.wasm.numThreads = threads;
ort.env.logLevel = "error";
const model = resolveModel();
const tokenizer = loadTokenizer(model);
const session = await ort.InferenceSession.create(
  readFileSync(model.weightsPath),
  { executionProviders: ["wasm"], graphOptimizationLevel: "all" },
);

async function embed(passage: string): Promise<void> {
  const { ids } = tokenizer.encode(passage, model.spec.windowTokens);
  const row = (values: BigInt64Array) =>
    new ort.Tensor("int64", values, [1, ids.length]);
  const output = await session.run({
    input_ids: row(BigInt64Array.from(ids, BigInt)),
    attention_mask: row(new BigInt64Array(ids.length).fill(1n)),
    token_type_ids: row(new BigInt64Array(ids.length)),
  });
  for (const tensor of Object.values(output)) tensor.dispose();
}

for (const each of texts.slice(0, WARM_UP_TEXTS)) await embed(each);
// The runtime falls back to one thread without an error where it cannot have more.
if (ort.env.wasm.numThreads !== threads) {
  throw new Error(`onnxruntime-web runs on one thread here`);
}
const started = performance.now();
for (const each of texts) await embed(each);
const rate = texts.length / ((performance.now() - started) / 1000);
const queriesMs: number[] = [];
for (const query of queries) {
  const asked = performance.now();
  await embed(query);
  queriesMs.push(performance.now() - asked);
}
process.stdout.write(JSON.stringify({ rate, queriesMs }));
// Threads of the runtime would keep the process alive.
process.exit(0);
