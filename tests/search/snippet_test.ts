import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import {
  MARK_CLOSE,
  MARK_OPEN,
  type Snippet,
  toSnippet,
} from "../../lib/search/snippet.ts";
import { segmentForIndex } from "../../lib/text/mod.ts";

/** Text with `[` and `]` around each match, which become the marks. */
function marked(text: string): string {
  return text.replaceAll("[", MARK_OPEN).replaceAll("]", MARK_CLOSE);
}

/** What the highlights of a snippet point at. */
function highlighted(snippet: Snippet): string[] {
  return snippet.highlights.map(([start, end]) =>
    snippet.text.slice(start, end)
  );
}

Deno.test("toSnippet() gives a short text whole, with its matches", () => {
  assert.deepEqual(toSnippet(marked("A [red] fox and a [car]")), {
    text: "A red fox and a car",
    highlights: [[2, 5], [16, 19]],
  });
});

Deno.test("toSnippet() gives the beginning where nothing matched", () => {
  const snippet = toSnippet("word ".repeat(100), 50);
  assert.deepEqual(snippet, {
    text: `${"word ".repeat(10).trim()}…`,
    highlights: [],
  });
});

Deno.test("toSnippet() gives an empty snippet for an empty text", () => {
  for (const text of ["", " \n ", "\u200b"]) {
    assert.deepEqual(toSnippet(text), { text: "", highlights: [] });
  }
});

Deno.test("toSnippet() writes white space as single spaces on one line", () => {
  assert.deepEqual(toSnippet(marked("\n a\n\n[b]\t\t[c\n  d]  ")), {
    text: "a b c d",
    highlights: [[2, 3], [4, 7]],
  });
});

Deno.test("toSnippet() cuts at words on both sides of a match and says so", () => {
  const text = marked(`${"before ".repeat(50)}[hit] ${"after ".repeat(50)}`);
  const snippet = toSnippet(text, 60);
  assert.match(snippet.text, /^…(before )+hit( after)+…$/);
  assert.deepEqual(highlighted(snippet), ["hit"]);
});

Deno.test("toSnippet() prefers the window with the most different matches", () => {
  const gap = "x ".repeat(200);
  const text = marked(`[red] [Red] [RED] ${gap}[red] and [blue] ${gap}[blue]`);
  assert.deepEqual(highlighted(toSnippet(text)), ["red", "blue"]);
});

Deno.test("toSnippet() prefers the earlier of two equal windows", () => {
  const gap = "x ".repeat(200);
  const text = marked(`${gap}early [red] ${gap}late [red]`);
  assert.match(toSnippet(text).text, /early red/);
});

Deno.test("toSnippet() loses no match to a cut that moves to a word edge", () => {
  const words = Array.from({ length: 8 }, (_, index) => `word-${index}`);
  const run = words.map((word) => `[${word}] and-then-a`).join(" ");
  for (let glued = 0; glued < 40; glued++) {
    const before = `${"y ".repeat(90)}${"z".repeat(glued)}`;
    const snippet = toSnippet(marked(`${before}(${run} ${"y ".repeat(90)}`));
    const shown = highlighted(snippet);
    assert.ok(shown.length >= 5);
    assert.deepEqual(shown, words.slice(0, shown.length));
  }
});

Deno.test("toSnippet() shows the beginning of a match longer than the window", () => {
  const phrase = "long phrase ".repeat(30).trim();
  const snippet = toSnippet(
    marked(`${"y ".repeat(200)}[${phrase}] ${"y ".repeat(200)}`),
  );
  const [shown = ""] = highlighted(snippet);
  assert.ok(shown.length > 80 && phrase.startsWith(shown), shown);
});

Deno.test("toSnippet() takes U+200B out and points at the characters that stay", () => {
  const text = marked(
    "我\u200b们\u200b玩\u200b[成\u200b语]\u200b接\u200b龙\u200b",
  );
  assert.deepEqual(toSnippet(text), {
    text: "我们玩成语接龙",
    highlights: [[3, 5]],
  });
});

Deno.test("toSnippet() points at what FTS5 marks in segmented text", () => {
  const db = new DatabaseSync(":memory:");
  // Deno 2.4 knows no `using` for a database itself.
  using _ = { [Symbol.dispose]: () => db.close() };
  db.exec("CREATE VIRTUAL TABLE fts USING fts5(text)");
  const text = `${"我们学习中文。".repeat(40)}今天玩成语接龙，SQLite用全文。`;
  db.prepare("INSERT INTO fts VALUES (?)").run(segmentForIndex(text) ?? text);
  const row = db.prepare(
    `SELECT highlight(fts, 0, ?, ?) AS marked FROM fts WHERE fts MATCH '"成 语" OR "sqlite"'`,
  ).get(MARK_OPEN, MARK_CLOSE);
  const snippet = toSnippet(String(row?.["marked"]));
  assert.deepEqual(highlighted(snippet), ["成语", "SQLite"]);
  assert.ok(text.includes(snippet.text.replaceAll("…", "")));
});

Deno.test("toSnippet() moves a cut out of a surrogate pair", () => {
  for (let chars = 1; chars < 30; chars++) {
    const snippet = toSnippet("𠮷".repeat(100), chars);
    assert.ok(snippet.text.isWellFormed(), String(chars));
  }
});

const NEVER_IN_A_WORD = new RegExp(`[${MARK_OPEN}${MARK_CLOSE}\\s]`, "gu");

interface Piece {
  readonly text: string;
  readonly isMatch: boolean;
}

/** Words of all sorts of characters; some are matches. */
const anyPieces: fc.Arbitrary<Piece[]> = fc.array(
  fc.record({
    text: fc.string({
      unit: fc.oneof(
        fc.constantFrom("a", "b", "é", "𠮷", "🌸", "成", "語\u200b", "(", "."),
        fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
      ),
      minLength: 1,
      maxLength: 30,
    }).map((text) => text.replace(NEVER_IN_A_WORD, "_"))
      .filter((text) => text.replaceAll("\u200b", "") !== ""),
    gap: fc.constantFrom(" ", "\n\n", ""),
    isMatch: fc.boolean(),
  }),
  { maxLength: 60 },
).map((words) =>
  words.flatMap(({ text, gap, isMatch }) => [
    { text, isMatch },
    { text: gap, isMatch: false },
  ])
);

function plain(text: string): string {
  return text.replaceAll("\u200b", "").replace(/\s+/gu, " ");
}

const anyChars = fc.integer({ min: 8, max: 200 });

Deno.test("toSnippet() gives a part of the text, about as long as asked, with pairs and matches intact", () => {
  fc.assert(
    fc.property(anyPieces, anyChars, (pieces, chars) => {
      const input = pieces.map(({ text, isMatch }) =>
        isMatch ? MARK_OPEN + text + MARK_CLOSE : text
      ).join("");
      const whole = plain(pieces.map(({ text }) => text).join("")).trim();
      const snippet = toSnippet(input, chars);
      const { text, highlights } = snippet;

      assert.ok(text.isWellFormed());
      assert.ok(text.length <= chars + 20 + 2, `${text.length} of ${chars}`);
      assert.ok(
        [text, text.slice(1), text.slice(0, -1), text.slice(1, -1)]
          .some((part) => whole.includes(part)),
      );
      const matches = pieces.filter((piece) => piece.isMatch)
        .map((piece) => plain(piece.text));
      assert.equal(highlights.length > 0, matches.length > 0);
      for (const shown of highlighted(snippet)) {
        assert.ok(matches.some((match) => match.includes(shown)), shown);
      }
      let last = 0;
      for (const [start, end] of highlights) {
        assert.ok(start >= last && end > start && end <= text.length);
        last = end;
      }
    }),
    { numRuns: 500 },
  );
});

Deno.test("toSnippet() splits no pair in a text with halves of pairs", () => {
  const unit = fc.constantFrom("\ud800", "\udc00", "𠮷", "a", " ");
  const text = fc.string({ unit, minLength: 30, maxLength: 120 });
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 60 }), (text, chars) => {
      const cut = toSnippet(text, chars).text.replaceAll("…", "");
      const at = plain(text).trim().indexOf(cut);
      assert.ok(at >= 0);
      const rest = plain(text).trim().slice(at + cut.length);
      assert.ok(
        !(/[\ud800-\udbff]$/.test(cut) && /^[\udc00-\udfff]/.test(rest)),
      );
    }),
  );
});
