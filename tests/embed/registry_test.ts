import assert from "node:assert/strict";
import {
  mkdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { KbError } from "../../lib/core/mod.ts";
import {
  listModels,
  loadTokenizer,
  modelIdentity,
  type ModelSpec,
  resolveModel,
  specOf,
} from "../../lib/embed/mod.ts";
import { makeTempDir } from "../helpers/temp_store.ts";

const [BGE, MINILM] = listModels() as [ModelSpec, ModelSpec];

/** Puts files of the right sizes and without content where a model could be. */
function writeModel(parent: string, spec: ModelSpec): string {
  const dir = join(parent, spec.folder);
  mkdirSync(dir, { recursive: true });
  for (const { name, sizeBytes } of [spec.weights, spec.tokenizer]) {
    writeFileSync(join(dir, name), "");
    truncateSync(join(dir, name), sizeBytes);
  }
  return dir;
}

/** Matches `model_unavailable` whose message says all of `parts`. */
function unavailable(...parts: string[]): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof KbError);
    assert.equal(error.code, "model_unavailable");
    for (const part of parts) {
      assert.ok(error.message.includes(part), `"${part}": ${error.message}`);
    }
    return true;
  };
}

Deno.test("listModels() pins every file by size and SHA-256", () => {
  const ids = listModels().map(({ id }) => id);
  assert.deepEqual(ids, [
    "bge-small-en-v1.5@1",
    "all-minilm-l6-v2@1",
    "e5-small-v2@1",
  ]);
  for (const { weights, tokenizer, dims } of listModels()) {
    for (const file of [weights, tokenizer]) {
      assert.match(file.sha256, /^[0-9a-f]{64}$/);
      assert.ok(file.sizeBytes > 0);
    }
    assert.equal(dims % 2, 0);
  }
});

Deno.test("resolveModel() finds the shipped model without being told", () => {
  const model = resolveModel();
  assert.equal(model.spec, BGE);
  assert.ok(model.weightsPath.startsWith(model.dir));
  assert.ok(model.tokenizerPath.startsWith(model.dir));
});

Deno.test.each([
  { name: "bge-small-en-v1.5@1", rule: "its id" },
  { name: "bge-small-en-v1.5", rule: "its id without the number" },
])("resolveModel() finds a model by $rule", ({ name }) => {
  assert.equal(resolveModel({ model: name }).spec, BGE);
  assert.equal(specOf(name), BGE);
});

Deno.test("resolveModel() finds a model by folder, whatever the folder is called", () => {
  using temp = makeTempDir();
  const dir = writeModel(temp.path, MINILM);
  const other = join(temp.path, "renamed");
  symlinkSync(dir, other);
  for (const model of [dir, other]) {
    const found = resolveModel({ model });
    assert.equal(found.spec, MINILM);
    assert.equal(found.dir, model);
    assert.equal(specOf(model), MINILM);
  }
});

Deno.test("resolveModel() looks into modelsDirs in order", () => {
  using temp = makeTempDir();
  const empty = join(temp.path, "empty");
  const full = join(temp.path, "full");
  const dir = writeModel(full, MINILM);
  const found = resolveModel({ model: MINILM.id, modelsDirs: [empty, full] });
  assert.equal(found.dir, dir);
});

Deno.test("resolveModel() passes over an incomplete copy", () => {
  using temp = makeTempDir();
  const broken = join(temp.path, "broken");
  truncateSync(join(writeModel(broken, MINILM), "model.onnx"), 100);
  const dir = writeModel(join(temp.path, "full"), MINILM);
  const found = resolveModel({
    model: MINILM.id,
    modelsDirs: [broken, join(temp.path, "full")],
  });
  assert.equal(found.dir, dir);
});

Deno.test("resolveModel() names the known models when the id is unknown", () => {
  assert.throws(
    () => resolveModel({ model: "no-such-model" }),
    unavailable("no-such-model", BGE.id, MINILM.id),
  );
  assert.equal(specOf("no-such-model"), undefined);
});

Deno.test("resolveModel() says where to put the files of a model that is nowhere", () => {
  using temp = makeTempDir();
  assert.throws(
    () => resolveModel({ model: MINILM.id, modelsDirs: [temp.path] }),
    unavailable(
      join(temp.path, MINILM.folder, "model.onnx"),
      "is missing",
      "Run: kbdb model pull all-minilm-l6-v2",
      "KB_MODEL",
    ),
  );
});

Deno.test.each([
  {
    rule: "truncated weights",
    damage: (dir: string) => truncateSync(join(dir, "model.onnx"), 12_345),
    says: [
      "model.onnx has 12345 bytes",
      `expected ${MINILM.weights.sizeBytes}`,
    ],
  },
  {
    rule: "empty weights",
    damage: (dir: string) => writeFileSync(join(dir, "model.onnx"), ""),
    says: ["model.onnx has 0 bytes"],
  },
  {
    rule: "a missing tokenizer",
    damage: (dir: string) => Deno.removeSync(join(dir, "tokenizer.json")),
    says: ["tokenizer.json is missing"],
  },
  {
    rule: "a folder in place of the weights",
    damage: (dir: string) => {
      Deno.removeSync(join(dir, "model.onnx"));
      mkdirSync(join(dir, "model.onnx"));
    },
    says: ["model.onnx is missing"],
  },
  {
    rule: "a web page in place of the tokenizer",
    damage: (dir: string) =>
      writeFileSync(join(dir, "tokenizer.json"), "<html>Sign in</html>"),
    says: ["tokenizer.json has 20 bytes"],
  },
])("resolveModel() refuses $rule and says what to do", ({ damage, says }) => {
  using temp = makeTempDir();
  const dir = writeModel(temp.path, MINILM);
  damage(dir);
  assert.throws(
    () => resolveModel({ model: dir }),
    unavailable(...says, "Name a folder with the files of one of", MINILM.id),
  );
  assert.throws(
    () => resolveModel({ model: MINILM.id, modelsDirs: [temp.path] }),
    unavailable(...says, "Run: kbdb model pull all-minilm-l6-v2"),
  );
});

Deno.test("resolveModel() refuses a folder that is not there", () => {
  using temp = makeTempDir();
  assert.throws(
    () => resolveModel({ model: join(temp.path, "nothing") }),
    unavailable("is missing", BGE.id),
  );
  assert.equal(specOf(join(temp.path, "nothing")), undefined);
});

Deno.test("loadTokenizer() refuses a file of the right size and other content", () => {
  using temp = makeTempDir();
  const model = resolveModel({ model: writeModel(temp.path, MINILM) });
  assert.throws(
    () => loadTokenizer(model),
    unavailable("tokenizer.json is damaged", "get it anew"),
  );
});

Deno.test("loadTokenizer() refuses a file that vanished", () => {
  using temp = makeTempDir();
  const model = resolveModel({ model: writeModel(temp.path, MINILM) });
  Deno.removeSync(model.tokenizerPath);
  assert.throws(() => loadTokenizer(model), unavailable("cannot be read"));
});

Deno.test("modelIdentity() is the same for the same parts, wherever the files are", () => {
  const identity = modelIdentity(BGE, "1");
  assert.match(identity, /^bge-small-en-v1\.5@1:[0-9a-f]{16}$/);
  assert.equal(modelIdentity(structuredClone(BGE), 1), identity);
});

Deno.test.each<{ part: string; change: Partial<ModelSpec> }>([
  { part: "id", change: { id: "bge-small-en-v1.5@2" } },
  {
    part: "weights",
    change: { weights: { ...BGE.weights, sha256: "0".repeat(64) } },
  },
  {
    part: "tokenizer",
    change: { tokenizer: { ...BGE.tokenizer, sha256: "0".repeat(64) } },
  },
  { part: "dims", change: { dims: 256 } },
  { part: "window", change: { windowTokens: 256 } },
  { part: "pooling", change: { pooling: "mean" } },
  { part: "query prefix", change: { queryPrefix: "query: " } },
  { part: "passage prefix", change: { passagePrefix: "query: " } },
])("modelIdentity() changes with the $part", ({ change }) => {
  assert.notEqual(
    modelIdentity({ ...BGE, ...change }, "1"),
    modelIdentity(BGE, "1"),
  );
});

Deno.test("modelIdentity() changes with the chunker's version", () => {
  assert.notEqual(modelIdentity(BGE, "1"), modelIdentity(BGE, "2"));
});

Deno.test("modelIdentity() tells the two prefixes apart", () => {
  assert.notEqual(
    modelIdentity({ ...BGE, queryPrefix: "x" }, "1"),
    modelIdentity({ ...BGE, passagePrefix: "x" }, "1"),
  );
});

Deno.test("the shipped tokenizer is the one the registry pins", () => {
  const { tokenizerPath, spec } = resolveModel();
  assert.equal(readFileSync(tokenizerPath).length, spec.tokenizer.sizeBytes);
  assert.ok(loadTokenizer(resolveModel()).countTokens("two words") === 2);
});
