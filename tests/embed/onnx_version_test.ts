import assert from "node:assert/strict";
import * as ort from "onnxruntime-web";
import { ONNX_RUNTIME_VERSION } from "../../lib/embed/mod.ts";

Deno.test("ONNX_RUNTIME_VERSION is that of the package", () => {
  assert.equal(ONNX_RUNTIME_VERSION, ort.env.versions.web);
});
