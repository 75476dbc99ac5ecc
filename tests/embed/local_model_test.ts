import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  modelIdentity,
  registerModel,
  resolveModel,
  specOf,
  verifyModel,
} from "../../lib/embed/mod.ts";
import { shippedFile } from "../helpers/model_hub.ts";
import { makeTempDir } from "../helpers/temp_store.ts";

const SHIPPED = fileURLToPath(
  new URL("../../models/bge-small-en-v1.5/", import.meta.url),
);

/** A folder with the files of the model that ships, by another name. */
function makeFolder(parent: string): string {
  const dir = join(parent, "my-model");
  mkdirSync(dir);
  for (const name of ["model.onnx", "tokenizer.json"]) {
    symlinkSync(join(SHIPPED, name), join(dir, name));
  }
  return dir;
}

const unavailable = (says: RegExp) => ({
  code: "model_unavailable",
  message: says,
});

Deno.test("registerModel() makes a folder a model of its own, with its own identity (model)", async () => {
  using temp = makeTempDir();
  const dir = makeFolder(temp.path);
  const spec = await registerModel(dir, {
    dims: 384,
    pooling: "cls",
    queryPrefix: "find: ",
  });
  assert.equal(spec.id, "my-model@6c9c6101");
  const model = resolveModel({ model: dir });
  assert.deepEqual(model.spec, spec);
  await verifyModel(model);
  const { spec: shipped } = resolveModel();
  assert.notEqual(modelIdentity(spec, 1), modelIdentity(shipped, 1));
});

Deno.test("registerModel() runs the model, and writes nothing if its vectors have another size (model)", async () => {
  using temp = makeTempDir();
  const dir = makeFolder(temp.path);
  await assert.rejects(
    registerModel(dir, { dims: 768 }),
    unavailable(/gives 384 numbers a token, 768 were expected/),
  );
  assert.ok(!existsSync(join(dir, "kbdb-model.json")));
});

Deno.test("registerModel() says what is wrong with a folder or a number", async () => {
  using temp = makeTempDir();
  await assert.rejects(registerModel(temp.path, { dims: 384 }), {
    code: "not_found",
    message: /model\.onnx is missing/,
  });
  for (const dims of [0, 20, 1e6, 1.5]) {
    await assert.rejects(registerModel(temp.path, { dims }), {
      code: "invalid_input",
    });
  }
  writeFileSync(join(temp.path, "model.onnx"), "x");
  const definition = JSON.parse(
    new TextDecoder().decode(shippedFile("tokenizer.json")),
  );
  writeFileSync(
    join(temp.path, "tokenizer.json"),
    JSON.stringify({
      ...definition,
      model: { ...definition.model, type: "Unigram" },
    }),
  );
  await assert.rejects(registerModel(temp.path, { dims: 384 }), {
    code: "unsupported_type",
    message: /not a lower-casing BERT.*embeddingsUrl/,
  });
});

Deno.test("a folder whose card is wrong, or whose files changed, is refused with what to do (model)", async () => {
  using temp = makeTempDir();
  const dir = makeFolder(temp.path);
  await registerModel(dir, { dims: 384, pooling: "cls" });
  const path = join(dir, "kbdb-model.json");
  const card = readFileSync(path, "utf8");
  for (
    const [wrong, says] of [
      ["{", /it is no JSON.*kbdb model register/],
      [card.replace('"dims": 384', '"dims": 7'), /a field is missing or wrong/],
      [card.replace("model.onnx", "../model.onnx"), /a field is missing/],
      [card.replace("34014426", "5"), /expected 5\. Put the files back/],
    ] as const
  ) {
    writeFileSync(path, wrong);
    assert.throws(() => resolveModel({ model: dir }), unavailable(says));
  }
  writeFileSync(path, "{");
  assert.equal(specOf(dir)?.id, "bge-small-en-v1.5@1", "never throws");
});
