import { openKb, type SearchTimings } from "../../mod.ts";
import { percentile } from "../measure.ts";
import type { Bases, GeneratedBase } from "./bases.ts";
import { Random } from "./random.ts";
import { ratio, type Report } from "./table.ts";
import { makeQueries, type QueryKind } from "./text.ts";
import { preparedEmbedder } from "./vectors.ts";

const KINDS: readonly QueryKind[] = ["content words", "running text"];
const WARM_UP_QUERIES = 20;
const LIMIT = 10;

/** What a query may take without its embedding, in ms, and the vector part of it, by chunks. */
const BUDGETS_MS: ReadonlyMap<number, { total: number; vector?: number }> =
  new Map([[10_000, { total: 12 }], [100_000, { total: 80, vector: 4 }]]);

/** Times of one query: its parts, the whole, and the whole less the parts. */
interface QueryTimes extends SearchTimings {
  readonly totalMs: number;
  readonly restMs: number;
}

/** Measures queries on a base of about so many chunks. */
export async function benchQueries(
  bases: Bases,
  report: Report,
  { planned, queries }: { readonly planned: number; readonly queries: number },
): Promise<void> {
  const base = await bases.generated(planned);
  const part = "query";
  report({
    part,
    measure: `${base.chunks} chunks: making the base`,
    value: base.buildMs / 1000,
    unit: "s",
  });
  for (const kind of KINDS) {
    const texts = makeQueries(bases.vocabulary, kind, queries);
    const { firstMs, times } = await timeQueries(base, texts);
    const budget = BUDGETS_MS.get(planned);
    const name = `${base.chunks} chunks, ${kind}`;
    const summarize = (label: string, key: keyof QueryTimes, of?: number) => {
      const values = times.map((time) => time[key]);
      const value = percentile(values, 0.5);
      report({
        part,
        measure: `${name}: ${label}`,
        value,
        p95: percentile(values, 0.95),
        unit: "ms",
        ...(of === undefined
          ? {}
          : { note: ratio(value, of, `budget of ${of} ms`) }),
      });
    };
    if (kind === KINDS[0]) {
      report({
        part,
        measure: `${base.chunks} chunks: first query, loads the vectors`,
        value: firstMs,
        unit: "ms",
      });
    }
    summarize("whole", "totalMs", budget?.total);
    summarize("  embed", "embedMs");
    summarize("  lexical", "lexicalMs");
    summarize("  vector", "vectorMs", budget?.vector);
    summarize("  fusion", "fuseMs");
    summarize("  the rest", "restMs");
  }
}

/** Runs queries one after the other on a warm base. */
async function timeQueries(
  { dir, vectors }: GeneratedBase,
  texts: readonly string[],
): Promise<{ firstMs: number; times: QueryTimes[] }> {
  const random = new Random(texts.length);
  const embedder = preparedEmbedder(
    texts.map(() => vectors.query(random)),
  );
  await using kb = openKb({ dir, embedder });
  async function time(text: string): Promise<QueryTimes> {
    const started = performance.now();
    const { timings } = await kb.search(text, { explain: true, limit: LIMIT });
    const totalMs = performance.now() - started;
    if (timings === undefined) {
      throw new Error(`"${text}" was not searched for`);
    }
    const { embedMs, lexicalMs, vectorMs, fuseMs } = timings;
    const restMs = totalMs - embedMs - lexicalMs - vectorMs - fuseMs;
    return { ...timings, totalMs, restMs };
  }
  const [first = ""] = texts;
  const { totalMs: firstMs } = await time(first);
  for (const text of texts.slice(-WARM_UP_QUERIES)) await time(text);
  const times: QueryTimes[] = [];
  for (const text of texts) times.push(await time(text));
  return { firstMs, times };
}
