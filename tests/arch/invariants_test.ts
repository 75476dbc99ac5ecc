import assert from "node:assert/strict";
import { readSources, type SourceFile, withoutComments } from "./files.ts";

const LIB = readSources("lib").filter(({ path }) =>
  path.startsWith("lib/") && !path.includes("/kernels/")
);

/** Paths of the files whose code matches. */
function offenders(files: readonly SourceFile[], pattern: RegExp): string[] {
  return files.filter(({ text }) => pattern.test(withoutComments(text))).map((
    { path },
  ) => path);
}

function outside(...folders: string[]): SourceFile[] {
  return LIB.filter(({ path }) =>
    !folders.some((folder) => path.startsWith(`lib/${folder}`))
  );
}

Deno.test("SQL stands only in lib/store", () => {
  const sql =
    /["'`]\s*(SELECT|INSERT INTO|INSERT OR|UPDATE \w+ SET|DELETE FROM|CREATE (TABLE|INDEX)|PRAGMA) /;
  assert.deepEqual(offenders(outside("store/"), sql), []);
  assert.deepEqual(
    offenders(
      outside("store/driver.ts", "store/lock.ts", "store/migrations.ts"),
      /node:sqlite/,
    ),
    [],
  );
});

Deno.test("what runs a model is reached only through lib/embed/host.ts, which nothing in lib imports", () => {
  assert.deepEqual(
    offenders(outside("embed/onnx_encoder.ts"), /onnxruntime/),
    [],
  );
  assert.deepEqual(
    offenders(
      outside("embed/host.ts", "embed/bert/"),
      /["']\.\/(onnx_encoder\.ts|bert\/[^"']*)["']/,
    ),
    [],
  );
  assert.deepEqual(offenders(LIB, /["']\.\/host\.ts["']/), []);
});

Deno.test("lib/text, lib/compose and the pure files of lib/search do no IO and read no clock", () => {
  const pure = LIB.filter(({ path }) =>
    path.startsWith("lib/text/") || path.startsWith("lib/compose/") ||
    /^lib\/search\/(parse|expression|fuse|snippet|best_hits|query_vector)\.ts$/
      .test(path)
  );
  assert.ok(pure.length > 10);
  assert.deepEqual(
    offenders(
      pure,
      /node:(fs|net|http|child_process|process|os)|Date\.now|new Date\(\)|performance\./,
    ),
    [],
  );
});

Deno.test("environment, arguments, exit and console are touched only by cli.ts and lib/cli", () => {
  const touch =
    /\bconsole\.|\bprocess\.(env|argv|exit|stdout|stderr)|node:process/;
  assert.deepEqual(offenders(outside("cli/"), touch), []);
});

Deno.test("lib uses no Deno.*", () => {
  assert.deepEqual(offenders(LIB, /\bDeno\./), []);
});

Deno.test("no import comes from a URL or from jsr", () => {
  assert.deepEqual(
    offenders(
      readSources("lib", "scripts", "tests"),
      /from\s+["'](https?:|jsr:)/,
    ),
    [],
  );
});

Deno.test("a native or heavy package is imported by one file of lib", () => {
  for (
    const name of [
      "markdown-it",
      "yaml",
      "smol-toml",
      "commander",
      "jsonc-parser",
      "string-width",
      "tinyglobby",
    ]
  ) {
    const files = offenders(LIB, new RegExp(`from ["']${name}["']`));
    assert.ok(
      new Set(files.map((path) => path.split("/")[1])).size <= 1,
      `${name}: ${files}`,
    );
  }
});

Deno.test("no file of lib is longer than 800 lines", () => {
  const long = LIB.filter(({ text }) => text.split("\n").length > 800).map((
    { path },
  ) => path);
  assert.deepEqual(long, []);
});
