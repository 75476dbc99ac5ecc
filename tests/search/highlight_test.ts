import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { highlighter } from "../../lib/search/highlight.ts";
import { parseQuery } from "../../lib/search/parse.ts";

function mark(query: string, text: string, context = "") {
  const { marked, matchedTerms } = highlighter(parseQuery(query).terms)(
    text,
    context,
  );
  return {
    marked: marked.replaceAll("\u0001", "[").replaceAll("\u0002", "]"),
    matchedTerms,
  };
}

Deno.test.each([
  {
    rule: "marks other forms of a word",
    query: "restoring",
    text: "Restore it, restored.",
    marked: "[Restore] it, [restored].",
  },
  {
    rule: "ignores case and accents",
    query: "naive",
    text: "Naïve NAIVE",
    marked: "[Naïve] [NAIVE]",
  },
  {
    rule: "ignores case and accents of first letters, of the query too",
    query: "Étude kelvin conf*",
    text: "etude ETUDE E\u0301tude \u212aelvin KELVIN CONFIG other",
    marked:
      "[etude] [ETUDE] [E\u0301tude] [\u212aelvin] [KELVIN] [CONFIG] other",
  },
  {
    rule: "marks a phrase only where it stands",
    query: '"exit code"',
    text: "exit, code; exit code",
    marked: "[exit], [code]; [exit] [code]",
  },
  {
    rule: "marks the start of a word",
    query: "conf*",
    text: "config conf scone",
    marked: "[config] [conf] scone",
  },
  {
    rule: "marks no stop words beside others",
    query: "the fox",
    text: "the fox",
    marked: "the [fox]",
  },
  {
    rule: "marks stop words where nothing else is asked for",
    query: "to be",
    text: "to be or",
    marked: "[to] [be] or",
  },
  {
    rule: "marks a compound and its parts",
    query: "multi-agent",
    text: "multi-agent, agents",
    marked: "[multi]-[agent], [agents]",
  },
  {
    rule: "marks a Chinese word as one piece",
    query: "备份",
    text: "数据库备份。",
    marked: "数据库[备份]。",
  },
  {
    rule: "marks nothing where nothing matches",
    query: "x",
    text: "a b",
    marked: "a b",
  },
])("highlighter() $rule", ({ query, text, marked }) => {
  assert.equal(mark(query, text).marked, marked);
});

Deno.test("highlighter() names the terms found in text or context, as written", () => {
  assert.deepEqual(
    mark('Restores "exit code" missing', "exit codes", "Restore").matchedTerms,
    ["Restores", "exit code"],
  );
});

Deno.test("highlighter() stems as the word index does", () => {
  const db = new DatabaseSync(":memory:");
  // Deno 2.4 knows no `using` for a database itself.
  using _ = { [Symbol.dispose]: () => db.close() };
  db.exec(
    `CREATE VIRTUAL TABLE t USING fts5(x, tokenize = 'porter unicode61')`,
  );
  const words =
    ("connection connections relational conditional rational valency digitizer conformably radically " +
      "differently vileness analogously vietnamization predication operator feudalism decisiveness hopefulness " +
      "callousness formality sensitivity sensibility triplicate formative formalize electricity electrical " +
      "goodness revival allowance inference airliner gyroscopic adjustable defensible irritant replacement " +
      "adoption homologous communism activate angularity effective probate rate cease controlling rolling sky " +
      "happy dying ties caresses ponies agreed plastered motoring hopping falling hissing filing queries")
      .split(" ");
  for (const word of words) db.prepare("INSERT INTO t VALUES (?)").run(word);
  const find = db.prepare("SELECT x FROM t WHERE t MATCH ?");
  for (const word of words) {
    const found = find.all(`"${word}"`).map((row) => row["x"]);
    const marked = words.filter((other) =>
      mark(word, other).matchedTerms.length > 0
    );
    assert.deepEqual(marked, found, word);
  }
});
