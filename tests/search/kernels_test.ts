import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { SCAN_WASM } from "../../lib/search/kernels/scan_wasm.ts";
import { buildKernel, toKernelModule } from "../../scripts/build_kernels.ts";

Deno.test("scan_wasm.ts is what build_kernels.ts makes of scan.ts", async () => {
  const url = new URL("../../lib/search/kernels/scan_wasm.ts", import.meta.url);
  assert.equal(
    await readFile(url, "utf8"),
    toKernelModule(await buildKernel()),
    "Run scripts/build_kernels.ts",
  );
});

Deno.test("SCAN_WASM imports a memory and exports the functions of Kernel", () => {
  const module = new WebAssembly.Module(Uint8Array.fromBase64(SCAN_WASM));
  assert.deepEqual(
    WebAssembly.Module.imports(module).map(({ name, kind }) => [name, kind]),
    [["memory", "memory"]],
  );
  const functions = WebAssembly.Module.exports(module)
    .filter(({ kind }) => kind === "function").map(({ name }) => name);
  assert.deepEqual(functions.toSorted(), [
    "estimate",
    "score",
    "scoreSome",
    "sketchRow",
    "squares",
  ]);
});
