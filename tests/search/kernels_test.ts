import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { SCAN_WASM } from "../../lib/search/kernels/scan_wasm.ts";

Deno.test("SCAN_WASM imports a memory and exports the two functions VectorBlock calls", () => {
  const module = new WebAssembly.Module(Buffer.from(SCAN_WASM, "base64"));
  assert.deepEqual(
    WebAssembly.Module.imports(module).map(({ name, kind }) => [name, kind]),
    [["memory", "memory"]],
  );
  const functions = WebAssembly.Module.exports(module)
    .filter(({ kind }) => kind === "function").map(({ name }) => name);
  assert.deepEqual(functions.toSorted(), ["score", "squares"]);
});
