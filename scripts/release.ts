/**
 * Makes a release: `deno run --allow-all scripts/release.ts check|build|tag`.
 *
 * `check` refuses a version without a changelog entry; `build` puts the executables of all
 * platforms, their checksums and the list of what they hold into `dist/`; `tag` names the commit.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { makeSbom } from "./dist/sbom.ts";
import { readProject, ROOT, runDeno, stage } from "./dist/stage.ts";
import { TARGETS } from "./dist/targets.ts";

const OUT = join(ROOT, "dist");

/**
 * Says what keeps a version from being released.
 *
 * @param version Version in `deno.json`.
 * @param changelog Text of `CHANGELOG.md`.
 * @returns Sentences; `[]` if nothing does.
 */
export function findProblems(version: string, changelog: string): string[] {
  const problems: string[] = [];
  if (!/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version)) {
    problems.push(`"${version}" in deno.json is no semantic version.`);
  }
  const lines = changelog.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`## [${version}]`));
  if (start === -1) {
    problems.push(`CHANGELOG.md has no entry "## [${version}] - YYYY-MM-DD".`);
    return problems;
  }
  if (!/ - \d{4}-\d{2}-\d{2}$/.test(lines[start] ?? "")) {
    problems.push(`The entry of ${version} in CHANGELOG.md has no date.`);
  }
  const rest = lines.slice(start + 1);
  const next = rest.findIndex((line) => line.startsWith("## ["));
  const entry = next === -1 ? rest : rest.slice(0, next);
  if (!entry.some((line) => line.startsWith("- "))) {
    problems.push(`The entry of ${version} in CHANGELOG.md says nothing.`);
  }
  return problems;
}

function check(): void {
  const { version } = readProject();
  const problems = findProblems(
    version,
    readFileSync(join(ROOT, "CHANGELOG.md"), "utf8"),
  );
  const changed = git("status", "--porcelain");
  if (changed !== "") {
    problems.push(`There are uncommitted changes:\n${changed}`);
  }
  if (problems.length > 0) throw new Error(problems.join("\n"));
  process.stdout.write(`${version} can be released\n`);
}

function build(): void {
  const { version } = readProject();
  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(OUT, { recursive: true });
  const files = TARGETS.map(({ triple, name }) => {
    const file = `kbdb-${version}-${name}${
      name.startsWith("windows") ? ".exe" : ""
    }`;
    process.stdout.write(
      runDeno(ROOT, [
        "run",
        "--allow-all",
        "scripts/compile.ts",
        `--target=${triple}`,
        `--output=${join(OUT, file)}`,
      ]),
    );
    return file;
  });
  const dir = mkdtempSync(join(tmpdir(), "kbdb-sbom-"));
  try {
    stage(dir);
    const sbom = makeSbom(
      dir,
      process.versions["deno"] ?? "",
      new Date().toISOString(),
    );
    writeFileSync(join(OUT, "sbom.cdx.json"), JSON.stringify(sbom, null, 2));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
  const sums = new Map(
    [...files, "sbom.cdx.json"].map((file) => [
      file,
      createHash("sha256").update(readFileSync(join(OUT, file))).digest("hex"),
    ]),
  );
  writeFileSync(
    join(OUT, "SHA256SUMS"),
    [...sums].map(([file, sum]) => `${sum}  ${file}\n`).join(""),
  );
  writeFileSync(
    join(OUT, "kbdb.rb"),
    fillFormula(
      readFileSync(join(ROOT, "packaging/kbdb.rb.template"), "utf8"),
      version,
      sums,
    ),
  );
}

/**
 * Fills in the Homebrew formula.
 *
 * @param template Text with `{{VERSION}}` and `{{SHA256_platform}}`.
 * @param version Version of the release.
 * @param sums SHA-256 in hexadecimal, by file name.
 * @throws {Error} If a file that the formula names is not there.
 */
export function fillFormula(
  template: string,
  version: string,
  sums: ReadonlyMap<string, string>,
): string {
  return template.replaceAll("{{VERSION}}", version)
    .replaceAll(/\{\{SHA256_([\w-]+)\}\}/g, (_, name: string) => {
      const sum = sums.get(`kbdb-${version}-${name}`);
      if (sum === undefined) throw new Error(`There is no executable ${name}`);
      return sum;
    });
}

function tag(): void {
  check();
  const { version } = readProject();
  git("tag", "--annotate", `v${version}`, "--message", `kbdb ${version}`);
  process.stdout.write(`Tagged v${version}; push it to publish\n`);
}

function git(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync("git", args, {
    cwd: ROOT,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`git ${args[0]} failed: ${stderr}`);
  return stdout.trim();
}

if (import.meta.main) {
  const steps: Readonly<Record<string, () => void>> = { check, build, tag };
  const step = steps[process.argv[2] ?? ""];
  if (step === undefined) {
    process.stderr.write("Usage: release.ts check|build|tag\n");
    process.exit(2);
  }
  try {
    step();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exit(1);
  }
}
