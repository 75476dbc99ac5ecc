import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** A source file by its path from the project's root. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Reads the TypeScript files of some folders, and the entries at the root. */
export function readSources(...folders: string[]): SourceFile[] {
  const paths = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true })
      .filter((entry) => typeof entry === "string")
      .map((entry) => `${folder}/${entry.replaceAll("\\", "/")}`)
  );
  return [...paths, "mod.ts", "cli.ts", "worker.ts", "text_worker.ts"]
    .filter((path) => path.endsWith(".ts"))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }));
}

/** Takes comments out of a source text. */
export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "");
}
