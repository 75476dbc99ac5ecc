import { percentile } from "../measure.ts";
import type { Goals } from "./goals.ts";
import type { ServeProcess } from "./server.ts";

const PART = "search";
const CLIENTS = 32;
const WARM_UP_QUERIES = 20;

/** How a search is asked for; every other one by word only. */
type Kind = "hybrid" | "by word";

/** Body of the n-th search: the fixed mix all parts use. */
export function searchBody(texts: readonly string[], index: number): object {
  const query = texts[index % texts.length];
  return { query, fts_only: kindOf(index) === "by word" };
}

function kindOf(index: number): Kind {
  return index % 2 === 0 ? "hybrid" : "by word";
}

/** Runs clients that each ask again as soon as they have their answer. */
export async function loadSearch(
  server: ServeProcess,
  goals: Goals,
  { texts, seconds }: {
    readonly texts: readonly string[];
    readonly seconds: number;
  },
): Promise<void> {
  // Also waits for the model and the vectors.
  for (let index = 0; index < WARM_UP_QUERIES; index++) {
    await server.ask("POST", "/api/v1/search", searchBody(texts, index));
  }
  const times: Record<Kind, number[]> = { "hybrid": [], "by word": [] };
  const failures = new Map<string, number>();
  let next = WARM_UP_QUERIES;
  const started = performance.now();
  const end = started + seconds * 1000;
  async function runClient(): Promise<void> {
    while (performance.now() < end) {
      const index = next++;
      const asked = performance.now();
      const failure = await search(server, searchBody(texts, index));
      if (failure === undefined) {
        times[kindOf(index)].push(performance.now() - asked);
      } else failures.set(failure, (failures.get(failure) ?? 0) + 1);
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, runClient));
  const tookSeconds = (performance.now() - started) / 1000;
  reportSearch(goals, { times, failures, tookSeconds });
}

/** Searches; answers why it failed. An answer that lacks something it was asked for is a failure. */
async function search(
  server: ServeProcess,
  body: object,
): Promise<string | undefined> {
  try {
    const answer = await server.call("POST", "/api/v1/search", body);
    const text = await answer.text();
    if (answer.status !== 200) return `status ${answer.status}`;
    const { degraded } = JSON.parse(text);
    return degraded.length === 0 ? undefined : `degraded: ${degraded}`;
  } catch (error) {
    return error instanceof Error ? error.name : String(error);
  }
}

function reportSearch(
  goals: Goals,
  { times, failures, tookSeconds }: {
    readonly times: Readonly<Record<Kind, readonly number[]>>;
    readonly failures: ReadonlyMap<string, number>;
    readonly tookSeconds: number;
  },
): void {
  const all = [...times.hybrid, ...times["by word"]];
  const failed = [...failures.values()].reduce((sum, count) => sum + count, 0);
  const count = all.length + failed;
  const { report } = goals;
  report({
    part: PART,
    measure: `${CLIENTS} clients: requests in ${Math.round(tookSeconds)} s`,
    value: count,
    unit: "",
  });
  report({
    part: PART,
    measure: "  answered",
    value: all.length / tookSeconds,
    unit: "/s",
  });
  for (
    const [name, values] of [["both kinds", all], ...Object.entries(times)]
  ) {
    report({
      part: PART,
      measure: `  ${name}`,
      value: percentile(values as number[], 0.5),
      p95: percentile(values as number[], 0.95),
      unit: "ms",
    });
  }
  goals.check({
    part: PART,
    measure: "  failed requests",
    value: failed,
    most: 0,
    unit: "",
  });
  for (const [failure, value] of failures) {
    report({ part: PART, measure: `    ${failure}`, value, unit: "" });
  }
}
