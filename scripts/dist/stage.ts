import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { GRAMMARS } from "../../lib/text/extract/code/languages.ts";
import { ENTRIES, findRuntimeImports } from "./runtime_packages.ts";

/** Folder of the project. */
export const ROOT: string = fileURLToPath(new URL("../../", import.meta.url));

/** `deno.json`, as far as builds read it. */
export interface ProjectFile {
  /** Package name with its scope. */
  readonly name: string;
  /** Semantic version. */
  readonly version: string;
  /** SPDX id. */
  readonly license: string;
  /** Entry points. */
  readonly exports: Readonly<Record<string, string>>;
  /** The import map. */
  readonly imports: Readonly<Record<string, string>>;
  /** Compiler settings. */
  readonly compilerOptions: unknown;
}

/** Reads `deno.json`. */
export function readProject(): ProjectFile {
  return JSON.parse(
    readFileSync(join(ROOT, "deno.json"), "utf8"),
  ) as ProjectFile;
}

/** What a package keeps, where that is much less than it has. */
const KEEP: readonly (readonly [name: string, files: RegExp])[] = [
  [
    "onnxruntime-web",
    /^(?:package\.json|LICENSE|dist\/(?:ort\.node\.min\.mjs|ort-wasm-simd-threaded\.(?:mjs|wasm)))$/,
  ],
  [
    "@vscode/tree-sitter-wasm",
    new RegExp(
      `^(?:package\\.json|LICENSE|wasm/tree-sitter(?:\\.js|\\.wasm|-(?:${
        GRAMMARS.join("|")
      })\\.wasm))$`,
    ),
  ],
  ["postal-mime", /^(?:package\.json|LICENSE[^/]*|dist\/esm\/.*)$/],
];

/** Packages that hold types only. */
const TYPES_ONLY = /^(?:@types\+|undici-types@)/;

/** Files that no program reads. */
const UNREAD = /\.(?:map|d\.[cm]?ts|md|markdown|flow)$/i;

/**
 * Puts together what an executable holds: the code, the model and the packages it needs at run time,
 * without types, source maps and the builds of a package that are not in use.
 *
 * @param dir Folder to fill; emptied first.
 */
export function stage(dir: string): void {
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  // An older Deno cannot read the lock file; it is there for trying builds only.
  const lock = readsLock() ? ["deno.lock"] : [];
  for (const part of [...ENTRIES, "lib", "models", "LICENSE", ...lock]) {
    cpSync(join(ROOT, part), join(dir, part), { recursive: true });
  }
  const { name, version, exports, imports, compilerOptions } = readProject();
  const writeConfig = (nodeModulesDir: string) =>
    writeFileSync(
      join(dir, "deno.json"),
      JSON.stringify({
        name,
        version,
        exports,
        compilerOptions,
        nodeModulesDir,
        imports: findRuntimeImports(ROOT, imports),
      }),
    );
  writeConfig("auto");
  runDeno(dir, ["install", "--quiet", "--entrypoint", ...ENTRIES]);
  writeConfig("manual");
  prune(join(dir, "node_modules"));
}

function readsLock(): boolean {
  const [major = 0, minor = 0] = (process.versions["deno"] ?? "").split(".")
    .map(Number);
  return major > 2 || minor >= 9;
}

/** Runs the Deno this script runs in; throws what it wrote if it fails. */
export function runDeno(cwd: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd,
    encoding: "utf8",
    maxBuffer: 1 << 28,
    env: { ...process.env, DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" },
  });
  if (status !== 0) {
    const hint = stderr.includes("denort")
      ? "\nThe runtime stub could not be downloaded; DENORT_BIN may name one of this version of Deno."
      : "";
    throw new Error(`deno ${args[0]} failed:\n${stderr}${hint}`);
  }
  return stdout;
}

function prune(modules: string): void {
  const store = join(modules, ".deno");
  for (const folder of readdirSync(store)) {
    if (TYPES_ONLY.test(folder)) {
      rmSync(join(store, folder), { recursive: true });
      continue;
    }
    const name = folder.replace(/(?!^)@.*$/, "").replaceAll("+", "/");
    const dir = join(store, folder, "node_modules", name);
    if (!existsSync(dir)) continue;
    const keep = KEEP.find(([each]) => each === name)?.[1];
    for (const file of listFiles(dir)) {
      const isKept = keep === undefined ? !UNREAD.test(file) : keep.test(file);
      if (!isKept) rmSync(join(dir, file));
    }
  }
  removeDanglingLinks(modules);
}

/** Lists the files under a folder by their path from there, links not followed. */
export function listFiles(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? listFiles(join(dir, entry.name)).map((file) => `${entry.name}/${file}`)
      : entry.isFile()
      ? [entry.name]
      : []
  );
}

function removeDanglingLinks(dir: string): void {
  for (const name of readdirSync(dir)) {
    const path = join(dir, name);
    const stat = lstatSync(path);
    if (stat.isDirectory()) removeDanglingLinks(path);
    else if (stat.isSymbolicLink() && !existsSync(path)) unlinkSync(path);
  }
}

/** Sizes of the parts of a stage, the largest first. */
export function measureStage(dir: string): [name: string, bytes: number][] {
  const sizeOf = (...path: string[]): number => {
    const part = join(dir, ...path);
    return listFiles(part).reduce(
      (sum, file) => sum + statSync(join(part, file)).size,
      0,
    );
  };
  const packages = readdirSync(join(dir, "node_modules", ".deno"))
    .filter((folder) => folder.includes("@"))
    .map((folder): [string, number] => [
      `npm ${folder.replaceAll("+", "/")}`,
      sizeOf("node_modules", ".deno", folder),
    ]);
  const parts: [string, number][] = [
    ["model", sizeOf("models")],
    ["code of kbdb", sizeOf("lib")],
    ...packages,
  ];
  return parts.sort(([, a], [, b]) => b - a);
}
