/**
 * Compiles the kernels from AssemblyScript and writes them as base64 constants.
 *
 * Run it after every change to a file of `lib/search/kernels/` or `lib/embed/bert/kernels/`:
 * `deno run -A scripts/build_kernels.ts`.
 *
 * @module
 */
import { readFile, writeFile } from "node:fs/promises";
import { Buffer } from "node:buffer";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";

/** One compiled constant. */
interface KernelBuild {
  /** Name of the constant. */
  readonly name: string;
  /** What it is, for its doc comment. */
  readonly title: string;
  /** Instruction sets it may use. */
  readonly features: string;
}

/** A source and the module its builds are written to. */
export interface Kernel {
  /** Entry of the source, from the project's root. */
  readonly source: string;
  /** Module that holds the constants, from the project's root. */
  readonly target: string;
  /** The constants. */
  readonly builds: readonly KernelBuild[];
}

/** Every kernel there is. */
export const KERNELS: readonly Kernel[] = [
  {
    source: "lib/search/kernels/scan.ts",
    target: "lib/search/kernels/scan_wasm.ts",
    // Fixed-width SIMD only: the relaxed instructions may answer differently from one CPU to the next.
    builds: [{
      name: "SCAN_WASM",
      title: "The compiled vector kernel",
      features: "simd",
    }],
  },
  {
    source: "lib/embed/bert/kernels/bert.ts",
    target: "lib/embed/bert/kernels/bert_wasm.ts",
    builds: [
      {
        name: "BERT_WASM",
        title: "The compiled encoder kernels",
        features: "simd",
      },
      // Its operands stay inside the range for which the relaxed instruction has one answer.
      {
        name: "BERT_RELAXED_WASM",
        title: "The compiled encoder kernels with relaxed SIMD",
        features: "simd,relaxed-simd",
      },
    ],
  },
];

const FLAGS = [
  "-O3",
  "--noAssert",
  "--runtime=stub",
  "--importMemory",
  "--initialMemory=1",
  "--use=abort=",
];

function pathOf(file: string): string {
  return fileURLToPath(new URL(`../${file}`, import.meta.url));
}

/** Compiles one source with some instruction sets. */
async function compile(source: string, features: string): Promise<Uint8Array> {
  const dir = dirname(pathOf(source));
  const entry = basename(source);
  let wasm: Uint8Array | undefined;
  const stdout = asc.createMemoryStream();
  const { error, stderr } = await asc.main(
    [entry, "--outFile=kernel.wasm", `--enable=${features}`, ...FLAGS],
    {
      stdout,
      // The compiler adds the extension to imports that have it already.
      readFile: (name) =>
        readFile(join(dir, name.replace(/\.ts\.ts$/, ".ts")), "utf8")
          .catch(() => null),
      writeFile: (name, contents) => {
        if (name === "kernel.wasm" && typeof contents !== "string") {
          wasm = contents;
        }
      },
      listFiles: () => [],
    },
  );
  if (error !== null || wasm === undefined) {
    throw new Error(
      `Cannot compile ${entry}: ${error?.message ?? "no output"}\n${stderr}`,
    );
  }
  return wasm;
}

/**
 * Compiles a kernel.
 *
 * @returns The text of its target as `deno fmt` leaves it; equal source and compiler version give
 * equal text.
 * @throws {Error} If the source does not compile; the message holds what the compiler printed.
 */
export async function buildKernel(kernel: Kernel): Promise<string> {
  const lines = [
    `// Generated from ${
      basename(kernel.source)
    } by scripts/build_kernels.ts. Do not edit.`,
  ];
  for (const { name, title, features } of kernel.builds) {
    const wasm = await compile(kernel.source, features);
    lines.push(
      "",
      `/** ${title}, ${wasm.length} bytes of WebAssembly in base64. */`,
      `export const ${name}: string =`,
      `  "${Buffer.from(wasm).toString("base64")}";`,
    );
  }
  return [...lines, ""].join("\n");
}

if (import.meta.main) {
  for (const kernel of KERNELS) {
    await writeFile(pathOf(kernel.target), await buildKernel(kernel));
  }
}
