import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  type EvalSet,
  readCorpus,
  readEvalSet,
  scoreRankings,
} from "../../scripts/eval_set.ts";
import type { SearchOptions } from "../../lib/kb/mod.ts";
import { openTempKb, type TempKb } from "../helpers/temp_kb.ts";

const DATA = fileURLToPath(new URL("../../../shared/data/", import.meta.url));
const QUERIES = 100;

/** Every n-th query of a set, `count` of them. */
function sample(set: EvalSet, count: number): EvalSet {
  const step = Math.max(1, Math.floor(set.queries.size / count));
  const ids = [...set.queries.keys()].filter((_, index) => index % step === 0)
    .slice(0, count);
  return {
    queries: new Map(ids.map((id) => [id, set.queries.get(id) ?? ""])),
    grades: new Map(
      ids.map((id) => [id, set.grades.get(id) ?? new Map<string, number>()]),
    ),
  };
}

/** Adds the documents of a set that `wanted` passes; answers their ids in the set. */
async function addDocuments(
  base: TempKb,
  dir: string,
  wanted: (id: string, index: number) => boolean,
): Promise<Map<number, string>> {
  const idOf = new Map<number, string>();
  let index = 0;
  for await (const { id, title, text } of readCorpus(dir)) {
    if (!wanted(id, index++) || text.trim() === "") continue;
    const { documentId } = base.kb.addNote(text, title === "" ? {} : { title });
    idOf.set(documentId, id);
  }
  return idOf;
}

async function measure(
  base: TempKb,
  set: EvalSet,
  idOf: ReadonlyMap<number, string>,
  retriever: Required<SearchOptions>["retriever"],
): Promise<number> {
  const rankings = new Map<string, string[]>();
  for (const [query, text] of set.queries) {
    const { hits } = await base.kb.search(text, {
      retriever,
      groupBy: "document",
      limit: 10,
    });
    rankings.set(
      query,
      hits.map((hit) => idOf.get(hit.documentId ?? -1) ?? ""),
    );
  }
  return scoreRankings(set, rankings).ndcg10;
}

Deno.test.each([
  { name: "scifact", floor: 0.6 },
  { name: "docs-known", floor: 0.66 },
  { name: "tldr-known", floor: 0.43 },
  { name: "cosqa", floor: 0.32 },
])(
  "search by word stays above nDCG@10 $floor on $name",
  async ({ name, floor }) => {
    const dir = `${DATA}${name}`;
    if (!existsSync(dir)) return skip(dir);
    await using base = openTempKb();
    const idOf = await addDocuments(base, dir, () => true);
    const quality = await measure(
      base,
      sample(await readEvalSet(dir), QUERIES),
      idOf,
      "fts",
    );
    assert.ok(quality >= floor, `nDCG@10 is ${quality.toFixed(4)}`);
  },
);

Deno.test("search by both stays above either alone on a part of tldr-known (model)", async () => {
  const dir = `${DATA}tldr-known`;
  if (!existsSync(dir)) return skip(dir);
  await using base = openTempKb({ model: "bge-small-en-v1.5" });
  const set = sample(await readEvalSet(dir), 60);
  const relevant = new Set(
    [...set.grades.values()].flatMap((grades) => [...grades.keys()]),
  );
  const idOf = await addDocuments(
    base,
    dir,
    (id, index) => relevant.has(id) || index % 30 === 0,
  );
  await base.kb.embed();
  const fts = await measure(base, set, idOf, "fts");
  const vector = await measure(base, set, idOf, "vector");
  const hybrid = await measure(base, set, idOf, "hybrid");
  const figures = `fts ${fts.toFixed(4)}, vector ${vector.toFixed(4)}, hybrid ${
    hybrid.toFixed(4)
  }`;
  assert.ok(vector >= 0.7 && hybrid >= Math.max(fts, vector) - 0.02, figures);
});

function skip(dir: string): void {
  // deno-lint-ignore no-console -- a test that is passed over has to say so
  console.log(`skipped: the test data is not at ${dir}`);
}
