/**
 * Files of the project that are written from the code, wholly or in marked parts.
 *
 * `deno task reference` writes them anew; `deno task docs` says which are not as they would be.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { cliReference } from "./cli_reference.ts";
import { toHttpReference } from "./http_reference.ts";
import { mcpReference } from "./mcp_reference.ts";
import { metricsReference } from "./metrics_reference.ts";
import { settingsReference } from "./settings_reference.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** A file and what it would be. */
interface GeneratedFile {
  /** Path from the root of the project. */
  readonly path: string;
  /** What stands there now. */
  readonly now: string;
  /** What the code says should stand there. */
  readonly wanted: string;
}

/**
 * Puts texts between the markers `<!-- generated: NAME -->` and `<!-- end -->`.
 *
 * @throws {Error} If there is no such pair of markers, or one whose name has no text.
 */
export function fillParts(
  text: string,
  parts: ReadonlyMap<string, string>,
): string {
  const missing = new Set(parts.keys());
  const filled = text.replaceAll(
    /(<!-- generated: ([a-z ]+?) -->)[\s\S]*?(<!-- end -->)/g,
    (_, start: string, name: string, end: string) => {
      const part = parts.get(name);
      if (part === undefined) throw new Error(`Nothing generates "${name}"`);
      missing.delete(name);
      return `${start}\n\n${part}\n\n${end}`;
    },
  );
  if (missing.size > 0) {
    throw new Error(`There are no markers for ${[...missing].join(", ")}`);
  }
  return filled;
}

/** Paths of the generated files that are not as the code says. */
export function listStale(): string[] {
  return readGenerated().filter(({ now, wanted }) => now !== wanted)
    .map(({ path }) => path);
}

function readGenerated(): GeneratedFile[] {
  const reference = read("docs/mcp.md");
  const command = read("docs/cli.md");
  const operations = read("docs/operations.md");
  const http = read("docs/http.md");
  const guide = read("SKILL.md");
  return [
    {
      path: "docs/http.md",
      now: http,
      wanted: format(
        fillParts(http, new Map([["routes", toHttpReference()]])),
        "md",
      ),
    },
    {
      path: "docs/mcp.md",
      now: reference,
      wanted: format(fillParts(reference, mcpReference()), "md"),
    },
    {
      path: "docs/cli.md",
      now: command,
      wanted: format(
        fillParts(
          command,
          new Map([...settingsReference(), ...cliReference()]),
        ),
        "md",
      ),
    },
    {
      path: "docs/operations.md",
      now: operations,
      wanted: format(fillParts(operations, metricsReference()), "md"),
    },
    {
      path: "lib/cli/guide_text.ts",
      now: read("lib/cli/guide_text.ts"),
      wanted: format(toModule(guide), "ts"),
    },
  ];
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

/** A module that holds a text, so that an executable without the file has it too. */
function toModule(text: string): string {
  const lines = text.split("\n").map((line) => JSON.stringify(line));
  return [
    "/** SKILL.md, from which `deno task reference` writes this file. */",
    `export const GUIDE: string = [${lines.join(",\n")}].join("\\n");`,
    "",
  ].join("\n");
}

/** Formats a text as `deno fmt` does. */
function format(text: string, ext: "md" | "ts"): string {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["fmt", "--ext", ext, "-"],
    { cwd: ROOT, input: text, encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`Cannot format: ${stderr}`);
  return stdout;
}

if (import.meta.main) {
  for (const { path, now, wanted } of readGenerated()) {
    if (now !== wanted) writeFileSync(join(ROOT, path), wanted);
    process.stdout.write(`${path}: ${now === wanted ? "as it was" : "new"}\n`);
  }
}
