import assert from "node:assert/strict";
import { formatAge } from "../../lib/cli/output/age.ts";
import {
  type Column,
  toCsv,
  toMarkdown,
} from "../../lib/cli/output/columns.ts";
import { toTable } from "../../lib/cli/output/table.ts";
import { styleFor, type View, viewOf } from "../../lib/cli/output/view.ts";
import type { CliIo } from "../../lib/cli/io.ts";

interface Row {
  readonly name: string;
  readonly count: number;
}

const COLUMNS: readonly Column<Row>[] = [
  { name: "name", value: ({ name }) => name },
  { name: "count", value: ({ count }) => count, align: "right" },
];
const STYLE = styleFor({ write: () => {} }, {});
const PIPE: View = {
  style: STYLE,
  isTerminal: false,
  columns: undefined,
  nowMs: 0,
  link: (text) => text,
};

Deno.test("toTable() aligns by what is seen, wide characters and emoji too", () => {
  const rows = [
    { name: "ab", count: 1 },
    { name: "日本", count: 20 },
    { name: "👩‍👩‍👧x", count: 300 },
  ];
  assert.deepEqual(toTable(rows, COLUMNS, PIPE), [
    "ab      1",
    "日本   20",
    "👩‍👩‍👧x   300",
  ]);
});

Deno.test("toTable() shows a header and keeps to the width of a terminal", () => {
  const rows = [{ name: "x".repeat(50), count: 7 }];
  const table = toTable(rows, COLUMNS, {
    ...PIPE,
    isTerminal: true,
    columns: 30,
  });
  assert.deepEqual(table, [
    "NAME                     COUNT",
    `${"x".repeat(22)}…      7`,
  ]);
});

Deno.test("toTable() never cuts a character in two and lets no file steer the terminal", () => {
  const rows = [{ name: "日本語日本語日本語\x1b[31m", count: 1 }];
  const [, line = ""] = toTable(rows, COLUMNS, {
    ...PIPE,
    isTerminal: true,
    columns: 20,
  });
  assert.equal(line, "日本語日本語…      1");
  assert.ok(!line.includes("\x1b"));
});

Deno.test("toTable() of no rows is nothing, not even a header", () => {
  assert.deepEqual(toTable([], COLUMNS, { ...PIPE, isTerminal: true }), []);
});

Deno.test("toCsv() quotes what RFC 4180 says, and has a header without rows", () => {
  assert.deepEqual(
    toCsv([{ name: 'a "b", c\nd', count: 1 }], COLUMNS),
    ["name,count", '"a ""b"", c\nd",1'],
  );
  assert.deepEqual(toCsv([], COLUMNS), ["name,count"]);
});

Deno.test("toMarkdown() keeps bars and line ends inside cells", () => {
  assert.deepEqual(toMarkdown([{ name: "a|b\nc", count: 1 }], COLUMNS), [
    "| name | count |",
    "| --- | ---: |",
    "| a\\|b c | 1 |",
  ]);
});

for (
  const { iso, age } of [
    { iso: "2026-01-31T11:59:30Z", age: "just now" },
    { iso: "2026-01-31T12:00:20Z", age: "just now" },
    { iso: "2026-01-31T11:55:00Z", age: "5 min ago" },
    { iso: "2026-01-31T09:00:00Z", age: "3 h ago" },
    { iso: "2026-01-29T12:00:00Z", age: "2 d ago" },
    { iso: "2025-11-20T12:00:00Z", age: "2 mo ago" },
    { iso: "2023-01-31T11:00:00Z", age: "3 y ago" },
    { iso: "2030-01-01T00:00:00Z", age: "2030-01-01T00:00:00Z" },
    { iso: "no date", age: "no date" },
  ]
) {
  Deno.test(`formatAge() says ${age} of ${iso}`, () => {
    assert.equal(formatAge(iso, Date.parse("2026-01-31T12:00:00Z")), age);
  });
}

for (
  const { rule, isTTY, env, on } of [
    { rule: "on a terminal", isTTY: true, env: {}, on: true },
    { rule: "not in a pipe", isTTY: false, env: {}, on: false },
    {
      rule: "not if NO_COLOR is set",
      isTTY: true,
      env: { NO_COLOR: "1" },
      on: false,
    },
    {
      rule: "in a pipe if FORCE_COLOR is set",
      isTTY: false,
      env: { FORCE_COLOR: "1" },
      on: true,
    },
    {
      rule: "not if FORCE_COLOR is 0",
      isTTY: true,
      env: { FORCE_COLOR: "0" },
      on: false,
    },
    {
      rule: "not on a dumb terminal",
      isTTY: true,
      env: { TERM: "dumb" },
      on: false,
    },
  ]
) {
  Deno.test(`styleFor() has colours ${rule}`, () => {
    const { bold } = styleFor({ write: () => {}, isTTY }, env);
    assert.equal(bold("x"), on ? "\x1b[1mx\x1b[0m" : "x");
  });
}

Deno.test("viewOf() links paths on terminals only", () => {
  const io = (isTTY: boolean) =>
    ({
      out: { write: () => {}, isTTY },
      env: {},
      now: () => 0,
    }) as unknown as CliIo;
  const path = "/a b/c.md";
  assert.equal(viewOf(io(false)).link("c.md", path), "c.md");
  assert.equal(
    viewOf(io(true)).link("c.md", path),
    "\x1b]8;;file:///a%20b/c.md\x1b\\c.md\x1b]8;;\x1b\\",
  );
});
