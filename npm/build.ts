/**
 * Builds the npm package into `npm/dist` and tries it: `deno task npm`.
 *
 * `deno pack` makes JavaScript and types; what it lacks is added here: the worker entries, the
 * command, the model, exact versions, and syntax that Node 22 reads.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import {
  ENTRIES,
  findRuntimeImports,
  WORKER_FILES,
} from "../scripts/dist/runtime_packages.ts";
import {
  listFiles,
  readProject,
  ROOT,
  runDeno,
} from "../scripts/dist/stage.ts";
import { smoke } from "./smoke.ts";

/** Makes the syntax of newer engines one that Node 22 reads. */
const ESBUILD = "esbuild@0.28.2";
const DIST = join(ROOT, "npm/dist");

/** What this script reads and writes of a `package.json`. */
interface PackageFile {
  readonly name: string;
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

const work = mkdtempSync(join(tmpdir(), "kbdb-npm-"));
try {
  rmSync(DIST, { recursive: true, force: true });
  mkdirSync(DIST, { recursive: true });
  const imports = findRuntimeImports(ROOT, readProject().imports);
  const dir = pack(imports);
  lower(dir);
  complete(dir, imports);
  const tarball = join(
    DIST,
    run("npm", ["pack", "--silent", "--pack-destination", DIST], dir).trim(),
  );
  process.stdout.write(`${tarball}\n${smoke(tarball)}`);
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Makes the JavaScript and types; answers the folder of the package. */
function pack(imports: Readonly<Record<string, string>>): string {
  const source = join(work, "source");
  const { name, version, license, exports, compilerOptions } = readProject();
  for (const part of [...ENTRIES, "lib"]) {
    cpSync(join(ROOT, part), join(source, part), { recursive: true });
  }
  const workers = Object.fromEntries(
    WORKER_FILES.map((file) => [`./${file.replace(/\.ts$/, "")}`, `./${file}`]),
  );
  writeFileSync(
    join(source, "deno.json"),
    JSON.stringify({
      name,
      version,
      license,
      compilerOptions,
      imports,
      exports: { ...exports, ...workers },
    }),
  );
  const tarball = join(work, "packed.tgz");
  runDeno(source, ["pack", "--allow-dirty", "--no-source-maps", "-o", tarball]);
  run("tar", ["xzf", tarball, "-C", work], work);
  return join(work, "package");
}

/** Rewrites the syntax that Node 22 does not read, file by file. */
function lower(dir: string): void {
  const files = listFiles(dir).filter((file) => file.endsWith(".js"));
  run("npx", [
    "--yes",
    ESBUILD,
    ...files,
    "--outdir=.",
    "--outbase=.",
    "--allow-overwrite",
    "--target=node22",
    "--log-level=warning",
  ], dir);
}

/** Adds what `deno pack` leaves out. */
function complete(
  dir: string,
  imports: Readonly<Record<string, string>>,
): void {
  for (const part of ["models", "README.md", "CHANGELOG.md", "LICENSE"]) {
    cpSync(join(ROOT, part), join(dir, part), { recursive: true });
  }
  cpSync(join(ROOT, "npm/bin"), join(dir, "bin"), { recursive: true });
  // Sources that are there for another compiler.
  for (const file of listFiles(dir)) {
    if (/(?<!\.d)\.ts$/.test(file)) rmSync(join(dir, file));
  }
  const path = join(dir, "package.json");
  const packed = JSON.parse(readFileSync(path, "utf8")) as PackageFile;
  const template = JSON.parse(
    readFileSync(join(ROOT, "npm/package.template.json"), "utf8"),
  ) as Readonly<Record<string, unknown>>;
  const dependencies = Object.fromEntries(
    Object.keys(packed.dependencies).map((name) => [
      name,
      exactVersion(name, imports),
    ]),
  );
  writeFileSync(
    path,
    JSON.stringify({ ...packed, ...template, dependencies }, null, 2) + "\n",
  );
}

/** The version of a package that the import map names. */
function exactVersion(
  name: string,
  imports: Readonly<Record<string, string>>,
): string {
  const prefix = `npm:${name}@`;
  const target = Object.values(imports).find((it) => it.startsWith(prefix));
  const version = target?.slice(prefix.length).split("/")[0];
  if (version === undefined) throw new Error(`${name} is not in deno.json`);
  return version;
}

/** Runs a program; answers what it wrote, or throws what it wrote to standard error. */
function run(program: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (status !== 0) {
    throw new Error(`${program} ${args[0]} failed: ${error ?? stderr}`);
  }
  return stdout;
}
