import { spawnSync } from "node:child_process";
import process from "node:process";

/** Modules that are loaded by path at run time, so that nothing but this list leads to them. */
export const WORKER_FILES = [
  "worker.ts",
  "text_worker.ts",
  "upkeep_worker.ts",
] as const;

/** The modules that kbdb is entered by. */
export const ENTRIES: readonly string[] = ["cli.ts", "mod.ts", ...WORKER_FILES];

/** What `deno info --json` says, as far as it is read here. */
interface ModuleInfo {
  readonly modules: readonly {
    readonly specifier?: string;
    readonly dependencies?: readonly { readonly specifier: string }[];
  }[];
}

/**
 * Finds which entries of the import map the code needs at run time; tests and scripts need more.
 *
 * @param root Folder of the project.
 * @param imports The import map.
 * @returns The entries that are reached from {@linkcode ENTRIES}.
 */
export function findRuntimeImports(
  root: string,
  imports: Readonly<Record<string, string>>,
): Record<string, string> {
  const used = new Set(ENTRIES.flatMap((entry) => listBare(root, entry)));
  const keys = new Set([...used].map((specifier) => {
    const key = Object.keys(imports)
      .filter((each) => specifier === each || specifier.startsWith(`${each}/`))
      .sort((a, b) => b.length - a.length)[0];
    if (key === undefined) {
      throw new Error(`"${specifier}" is not in the imports of deno.json`);
    }
    return key;
  }));
  return Object.fromEntries(
    Object.entries(imports).filter(([key]) => keys.has(key)),
  );
}

/** Lists the specifiers of packages that the modules behind an entry name. */
function listBare(root: string, entry: string): string[] {
  const { stdout, status, stderr } = spawnSync(
    process.execPath,
    ["info", "--no-lock", "--json", entry],
    { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 },
  );
  if (status !== 0) throw new Error(`deno info ${entry} failed: ${stderr}`);
  const { modules } = JSON.parse(stdout) as ModuleInfo;
  return modules
    .filter(({ specifier }) => specifier?.startsWith("file:"))
    .flatMap(({ dependencies }) => dependencies ?? [])
    .map(({ specifier }) => specifier)
    .filter((specifier) => /^[a-z@]/.test(specifier))
    .filter((specifier) => !/^(?:node|file|data):/.test(specifier));
}
