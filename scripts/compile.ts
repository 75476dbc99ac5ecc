/**
 * Builds one executable that holds everything: `deno task compile [--target TARGET] [--output FILE]`.
 *
 * Deno fetches the runtime stub for the target; where it cannot, `DENORT_BIN` names one.
 *
 * @module
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { WORKER_FILES } from "./dist/runtime_packages.ts";
import { measureStage, runDeno, stage } from "./dist/stage.ts";
import { TARGETS } from "./dist/targets.ts";

/** Has the engine collect what uploads leave behind before it is 64 MB, as the task and `cli.ts` do. */
const V8_FLAGS = "--v8-flags=--max-semi-space-size=8";
/** Largest executable that is let through, in bytes. */
const SIZE_MAX = 220e6;

const { values } = parseArgs({
  options: {
    target: { type: "string" },
    output: { type: "string", short: "o", default: "kbdb" },
  },
});
const { target, output } = values;
if (target !== undefined && !TARGETS.some(({ triple }) => triple === target)) {
  const known = TARGETS.map(({ triple }) => triple).join(", ");
  process.stderr.write(`Unknown target "${target}"; known are ${known}\n`);
  process.exit(2);
}
const dir = mkdtempSync(join(tmpdir(), "kbdb-stage-"));
try {
  stage(dir);
  const file = resolve(output);
  runDeno(dir, [
    "compile",
    "--no-check",
    "--allow-all",
    V8_FLAGS,
    ...target === undefined ? [] : ["--target", target],
    ...[...WORKER_FILES, "lib", "models"].flatMap((it) => ["--include", it]),
    "--output",
    file,
    "cli.ts",
  ]);
  const path = target?.includes("windows") && !file.endsWith(".exe")
    ? `${file}.exe`
    : file;
  report(path);
} finally {
  rmSync(dir, { recursive: true, force: true });
}

/** Says how large the executable is and what its bytes are. */
function report(path: string): void {
  const total = statSync(path).size;
  const parts = measureStage(dir);
  const held = parts.reduce((sum, [, bytes]) => sum + bytes, 0);
  const shown = parts.filter(([, bytes]) => bytes >= 500_000);
  const rest = held - shown.reduce((sum, [, bytes]) => sum + bytes, 0);
  const rows: (readonly [string, number])[] = [
    [path, total],
    ["  Deno with V8 and SQLite", total - held],
    ...shown.map(([name, bytes]) => [`  ${name}`, bytes] as const),
    ["  other packages", rest],
  ];
  for (const [name, bytes] of rows) {
    process.stdout.write(
      `${(bytes / 1e6).toFixed(1).padStart(7)} MB  ${name}\n`,
    );
  }
  if (total > SIZE_MAX) {
    process.stderr.write(
      `The executable is larger than ${SIZE_MAX / 1e6} MB\n`,
    );
    process.exitCode = 1;
  }
}
