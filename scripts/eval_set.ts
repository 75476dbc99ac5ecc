import { createReadStream, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** One document of a retrieval test set. */
export interface EvalDocument {
  /** Id in the set. */
  readonly id: string;
  /** Title; may be `""`. */
  readonly title: string;
  /** Text. */
  readonly text: string;
}

/** A retrieval test set in BEIR layout. */
export interface EvalSet {
  /** Query text by query id, judged queries only. */
  readonly queries: ReadonlyMap<string, string>;
  /** Grade by document id, by query id. */
  readonly grades: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/** Reads the lines of a JSONL file. */
async function* readLines<T>(path: string): AsyncGenerator<T> {
  for await (const line of createInterface({ input: createReadStream(path) })) {
    if (line.trim() !== "") yield JSON.parse(line);
  }
}

/** Reads `corpus.jsonl` of a set, one document at a time. */
export async function* readCorpus(dir: string): AsyncGenerator<EvalDocument> {
  const path = join(dir, "corpus.jsonl");
  for await (
    const row of readLines<{ _id: string; title?: string; text: string }>(path)
  ) {
    yield { id: row._id, title: row.title ?? "", text: row.text };
  }
}

/**
 * Reads queries and judgements of a set.
 *
 * @throws {Error} If a file of the BEIR layout is missing.
 */
export async function readEvalSet(dir: string): Promise<EvalSet> {
  const qrels = join(dir, "qrels", "test.tsv");
  for (
    const path of [join(dir, "corpus.jsonl"), join(dir, "queries.jsonl"), qrels]
  ) {
    if (!existsSync(path)) {
      throw new Error(`Cannot read the set: ${path} is missing`);
    }
  }
  const grades = new Map<string, Map<string, number>>();
  for (const line of readFileSync(qrels, "utf8").split("\n").slice(1)) {
    const [query, document, grade] = line.trim().split("\t");
    if (query === undefined || document === undefined) continue;
    const own = grades.get(query) ?? new Map<string, number>();
    grades.set(query, own.set(document, Number(grade ?? 1)));
  }
  const queries = new Map<string, string>();
  for await (
    const row of readLines<{ _id: string; text: string }>(
      join(dir, "queries.jsonl"),
    )
  ) {
    if (grades.has(row._id)) queries.set(row._id, row.text);
  }
  return { queries, grades };
}

/** Quality of rankings, each 0 to 1, averaged over queries. */
export interface Quality {
  /** nDCG at 10. */
  readonly ndcg10: number;
  /** Recall at 100. */
  readonly recall100: number;
  /** Mean reciprocal rank at 10. */
  readonly mrr10: number;
}

/** Scores rankings (document ids, best first, by query id) as trec_eval does. */
export function scoreRankings(
  set: EvalSet,
  rankings: ReadonlyMap<string, readonly string[]>,
): Quality {
  let ndcg = 0;
  let recall = 0;
  let mrr = 0;
  for (const [query, grades] of set.grades) {
    const ranking = rankings.get(query) ?? [];
    const gains = ranking.map((id) => grades.get(id) ?? 0);
    const ideal = [...grades.values()].sort((a, b) => b - a);
    const best = dcg(ideal.slice(0, 10));
    if (best > 0) ndcg += dcg(gains.slice(0, 10)) / best;
    const relevant = ideal.filter((grade) => grade > 0).length;
    if (relevant > 0) {
      recall += gains.slice(0, 100).filter((grade) => grade > 0).length /
        relevant;
    }
    const first = gains.slice(0, 10).findIndex((grade) => grade > 0);
    if (first !== -1) mrr += 1 / (first + 1);
  }
  const { size } = set.grades;
  return { ndcg10: ndcg / size, recall100: recall / size, mrr10: mrr / size };
}

function dcg(gains: readonly number[]): number {
  return gains.reduce(
    (sum, gain, index) => sum + gain / Math.log2(index + 2),
    0,
  );
}
