import assert from "node:assert/strict";
import {
  formatBytes,
  formatPath,
  formatSeconds,
  toPrintable,
} from "../../lib/cli/format.ts";
import { toLine } from "../../lib/cli/progress.ts";

Deno.test("formatBytes() uses the unit that fits", () => {
  assert.deepEqual([999, 1500, 24_567_925, 2e9].map(formatBytes), [
    "999 B",
    "1.5 kB",
    "24.6 MB",
    "2.00 GB",
  ]);
});

Deno.test("formatSeconds() uses the unit that fits", () => {
  assert.deepEqual([0.42, 59.4, 61, 7800].map(formatSeconds), [
    "0.4 s",
    "59 s",
    "1 min 1 s",
    "2 h 10 min",
  ]);
});

Deno.test("formatPath() shortens only what is below the working directory", () => {
  assert.equal(formatPath("/a/b/c.md", "/a/b"), "c.md");
  assert.equal(formatPath("/a/bc/d.md", "/a/b"), "/a/bc/d.md");
});

Deno.test("toPrintable() keeps files from steering the terminal", () => {
  assert.equal(toPrintable("a\x1b[31mb\u202ec\nd"), "a [31mb c d");
});

Deno.test("toLine() shows share, items and time left", () => {
  const progress = {
    phase: "store",
    done: 5,
    total: 10,
    doneSize: 500,
    totalSize: 1000,
  } as const;
  assert.equal(
    toLine(progress, { seconds: 5, size: 500 }),
    "Storing  [##########----------] 50%  5/10 files  500 B/1.0 kB  ETA 5.0 s",
  );
});
