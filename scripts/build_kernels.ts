/**
 * Compiles the vector kernel from AssemblyScript and writes it as a base64 constant.
 *
 * Run it after every change to `lib/search/kernels/scan.ts`: `deno run -A scripts/build_kernels.ts`.
 *
 * @module
 */
import { readFile, writeFile } from "node:fs/promises";
import { Buffer } from "node:buffer";
import asc from "assemblyscript/asc";

const SOURCE = new URL("../lib/search/kernels/scan.ts", import.meta.url);
const TARGET = new URL("../lib/search/kernels/scan_wasm.ts", import.meta.url);

// Fixed-width SIMD only: the relaxed instructions may answer differently from one CPU to the next.
const FLAGS = [
  "-O3",
  "--noAssert",
  "--enable=simd",
  "--runtime=stub",
  "--importMemory",
  "--initialMemory=1",
  "--use=abort=",
];

/**
 * Compiles `lib/search/kernels/scan.ts`.
 *
 * @returns The WebAssembly module; equal source and compiler version give equal bytes.
 * @throws {Error} If the source does not compile; the message holds what the compiler printed.
 */
export async function buildKernel(): Promise<Uint8Array> {
  const source = await readFile(SOURCE, "utf8");
  let wasm: Uint8Array | undefined;
  const stdout = asc.createMemoryStream();
  const { error, stderr } = await asc.main(
    ["scan.ts", "--outFile=scan.wasm", ...FLAGS],
    {
      stdout,
      readFile: (name) => name === "scan.ts" ? source : null,
      writeFile: (name, contents) => {
        if (name === "scan.wasm" && typeof contents !== "string") {
          wasm = contents;
        }
      },
      listFiles: () => [],
    },
  );
  if (error !== null || wasm === undefined) {
    throw new Error(
      `Cannot compile scan.ts: ${error?.message ?? "no output"}\n${stderr}`,
    );
  }
  return wasm;
}

/** The text of `scan_wasm.ts` for a compiled kernel, as `deno fmt` leaves it. */
export function toKernelModule(wasm: Uint8Array): string {
  return [
    "// Generated from scan.ts by scripts/build_kernels.ts. Do not edit.",
    "",
    `/** The compiled vector kernel, ${wasm.length} bytes of WebAssembly in base64. */`,
    "export const SCAN_WASM: string =",
    `  "${Buffer.from(wasm).toString("base64")}";`,
    "",
  ].join("\n");
}

if (import.meta.main) {
  await writeFile(TARGET, toKernelModule(await buildKernel()));
}
