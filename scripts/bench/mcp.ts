import { Buffer } from "node:buffer";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Kb, openKb } from "../../mod.ts";
import { percentile } from "../measure.ts";
import { type Bases, putModelVectors } from "./bases.ts";
import { McpProcess } from "./mcp_client.ts";
import { ratio, type Report, type Row } from "./table.ts";
import { makeQueries } from "./text.ts";

const PART = "mcp";
const STARTS = 11;
const CALLS = 200;
const WARM_UP_CALLS = 20;
/** As many as the tool answers unless asked for another number. */
const LIMIT = 20;

const BUDGETS = {
  startMs: 300,
  listingBytes: 24 * 1024,
  overheadMs: 1,
  searchMs: 60,
};

/** A call of a tool and the same by the facade. */
interface Pair {
  readonly name: string;
  readonly args: object;
  readonly direct: (kb: Kb) => unknown;
}

/** Measures `kbdb mcp` from outside, on a base of about so many chunks, with the real model. */
export async function benchMcp(
  bases: Bases,
  report: Report,
  { planned, queries }: { readonly planned: number; readonly queries: number },
): Promise<void> {
  const base = await bases.generated(planned);
  const dir = join(bases.dir, `mcp-${planned}`);
  cpSync(base.dir, dir, { recursive: true });
  putModelVectors(dir, base.vectors);
  const texts = makeQueries(
    bases.vocabulary,
    "content words",
    WARM_UP_CALLS + queries,
  );
  await benchStart(dir, report);
  await benchServer(dir, report, texts, base.chunks);
  await benchFacade(dir, report, texts, base.chunks);
  rmSync(dir, { recursive: true });
}

async function benchStart(dir: string, report: Report): Promise<void> {
  const times: number[] = [];
  for (let run = 0; run < STARTS; run++) {
    await using server = new McpProcess(dir);
    times.push(await server.initialize());
  }
  report({
    ...toRow(`start to the first answer, of ${STARTS}`, times),
    note: ratio(
      percentile(times, 0.5),
      BUDGETS.startMs,
      `budget of ${BUDGETS.startMs} ms`,
    ),
  });
}

async function benchServer(
  dir: string,
  report: Report,
  texts: readonly string[],
  chunks: number,
): Promise<void> {
  await using server = new McpProcess(dir);
  await server.initialize();
  const { result } = await server.request("tools/list");
  const bytes = Buffer.byteLength(JSON.stringify(result));
  report({
    part: PART,
    measure: "tools/list",
    value: bytes,
    unit: "B",
    note: ratio(bytes, BUDGETS.listingBytes, "budget of 24 KiB"),
  });
  // Also waits for the model and the vectors, which would disturb what follows.
  for (const query of texts.slice(0, WARM_UP_CALLS)) {
    await server.call("search", { query });
  }
  await benchOverhead(server, dir, report);
  const times: number[] = [];
  for (const query of texts.slice(WARM_UP_CALLS)) {
    times.push(await server.call("search", { query }));
  }
  report({
    ...toRow(`${chunks} chunks: search, embedding included`, times),
    note: ratio(
      percentile(times, 0.5),
      BUDGETS.searchMs,
      `budget of ${BUDGETS.searchMs} ms`,
    ),
  });
}

/** Compares tools with what the facade takes for the same. */
async function benchOverhead(
  server: McpProcess,
  dir: string,
  report: Report,
): Promise<void> {
  await using kb = openKb({ dir });
  const [document] = kb.list({ limit: 1 }).documents;
  const { sections } = kb.getDocument(document?.docid ?? "");
  const kbid = sections[0]?.kbid ?? "";
  const pairs: readonly Pair[] = [
    { name: "status", args: {}, direct: (kb) => kb.status() },
    { name: "retrieve", args: { kbid }, direct: (kb) => kb.getSection(kbid) },
    { name: "recall", args: { kbid }, direct: (kb) => kb.recall([kbid]) },
  ];
  for (const { name, args, direct } of pairs) {
    // One after the other: in turns, each process would find the caches full of the other's data.
    const called = await timeCalls(() => server.call(name, args));
    const straight = await timeCalls(() => {
      const started = performance.now();
      direct(kb);
      return performance.now() - started;
    });
    const directMs = percentile(straight, 0.5);
    const overheadMs = percentile(called, 0.5) - directMs;
    report(toRow(name, called));
    report(toRow("  by the facade", straight));
    report({
      part: PART,
      measure: "  overhead",
      value: overheadMs,
      unit: "ms",
      note: ratio(
        overheadMs,
        BUDGETS.overheadMs,
        `budget of ${BUDGETS.overheadMs} ms`,
      ),
    });
  }
}

/** Times of calls once they are warm. */
async function timeCalls(
  call: () => number | Promise<number>,
): Promise<number[]> {
  const times: number[] = [];
  for (let run = -WARM_UP_CALLS; run < CALLS; run++) {
    const ms = await call();
    if (run >= 0) times.push(ms);
  }
  return times;
}

async function benchFacade(
  dir: string,
  report: Report,
  texts: readonly string[],
  chunks: number,
): Promise<void> {
  await using kb = openKb({ dir });
  for (const query of texts.slice(0, WARM_UP_CALLS)) {
    await kb.search(query, { limit: LIMIT });
  }
  const times: number[] = [];
  for (const query of texts.slice(WARM_UP_CALLS)) {
    const started = performance.now();
    await kb.search(query, { limit: LIMIT });
    times.push(performance.now() - started);
  }
  report(toRow(`${chunks} chunks: the same by the facade`, times));
}

function toRow(measure: string, times: readonly number[]): Row {
  return {
    part: PART,
    measure,
    value: percentile(times, 0.5),
    p95: percentile(times, 0.95),
    unit: "ms",
  };
}
