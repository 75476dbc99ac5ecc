import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KbError } from "../../lib/core/mod.ts";
import {
  loadTokenizer,
  openEmbedder,
  type ResolvedModel,
  resolveModel,
  verifyModel,
} from "../../lib/embed/mod.ts";
import { makeTempDir } from "../helpers/temp_store.ts";

interface Golden {
  readonly model: string;
  readonly rows: readonly {
    readonly text: string;
    readonly tokens: number;
    readonly vector: readonly number[];
  }[];
}

const GOLDEN: Golden = JSON.parse(
  readFileSync(
    new URL("../fixtures/embed/golden.json", import.meta.url),
    "utf8",
  ),
);

/**
 * The goal is 1e-3. The reference is the model in float32, made as tests/fixtures/embed/README.md
 * says; the encoder's own rounding comes to 1e-6.
 */
const DISTANCE_MAX = 1e-5;

/** Copies the shipped model and changes one byte of one of its files. */
function copyDamaged(parent: string, damaged: string): ResolvedModel {
  const model = resolveModel();
  const dir = join(parent, model.spec.folder);
  mkdirSync(dir);
  for (const { name } of [model.spec.weights, model.spec.tokenizer]) {
    copyFileSync(join(model.dir, name), join(dir, name));
  }
  const path = join(dir, damaged);
  const bytes = readFileSync(path);
  const middle = bytes.length >> 1;
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  writeFileSync(path, bytes);
  return resolveModel({ model: dir });
}

function isDamaged(error: unknown): boolean {
  return error instanceof KbError && error.code === "model_unavailable" &&
    /is damaged.*get it anew/.test(error.message);
}

Deno.test("embed() gives the vectors of the reference implementation (model)", async () => {
  assert.equal(GOLDEN.model, resolveModel().spec.id);
  await using embedder = openEmbedder(resolveModel(), { workers: 1 });
  const batch = await embedder.embed(GOLDEN.rows.map(({ text }) => text), {
    role: "passage",
  });
  assert.deepEqual(batch.failedRows ?? [], []);
  assert.deepEqual(batch.cutRows, [GOLDEN.rows.length - 1]);
  for (const [row, { text, vector }] of GOLDEN.rows.entries()) {
    const own = batch.data.subarray(row * batch.dims, (row + 1) * batch.dims);
    assert.ok(Math.abs(Math.hypot(...own) - 1) < 1e-5);
    const dot = own.reduce((sum, x, i) => sum + x * (vector[i] ?? NaN), 0);
    const distance = 1 - dot / Math.hypot(...vector);
    assert.ok(distance <= DISTANCE_MAX, `${distance} for ${text.slice(0, 40)}`);
  }
});

Deno.test("Tokenizer.encode() gives as many ids as the reference implementation (model)", () => {
  const model = resolveModel();
  const tokenizer = loadTokenizer(model);
  for (const { text, tokens } of GOLDEN.rows) {
    const { ids } = tokenizer.encode(text, model.spec.windowTokens);
    assert.equal(ids.length, tokens, text.slice(0, 40));
  }
});

Deno.test("verifyModel() passes the shipped model (model)", async () => {
  await verifyModel(resolveModel());
});

Deno.test("embed() refuses damaged weights of the right size (model)", async () => {
  using temp = makeTempDir();
  const model = copyDamaged(temp.path, "model.onnx");
  await assert.rejects(verifyModel(model), isDamaged);
  await using embedder = openEmbedder(model, { workers: 1 });
  await assert.rejects(embedder.embed(["text"], { role: "query" }), isDamaged);
});

Deno.test("embed() refuses a damaged tokenizer of the right size (model)", async () => {
  using temp = makeTempDir();
  const model = copyDamaged(temp.path, "tokenizer.json");
  await assert.rejects(verifyModel(model), isDamaged);
  await using embedder = openEmbedder(model, { workers: 1 });
  await assert.rejects(embedder.embed(["text"], { role: "query" }), isDamaged);
});
