import { join } from "node:path";
import { type AddReport, openKb } from "../../mod.ts";
import { percentile } from "../measure.ts";
import type { Bases } from "./bases.ts";
import { type Report, toText } from "./table.ts";
import { ClusteredVectors, preparedEmbedder } from "./vectors.ts";

const RUNS = 3;
const MB = 1e6;
const VECTORS = 1000;

interface AddRun {
  readonly ms: number;
  readonly added: AddReport;
  readonly chunks: number;
}

/** Measures adding a folder to a fresh base, and adding it again with nothing changed. */
export async function benchAdd(
  bases: Bases,
  report: Report,
  data: string,
): Promise<void> {
  const part = "add";
  const runs: AddRun[] = [];
  for (let run = 0; run < RUNS; run++) {
    runs.push(await addFresh(join(bases.dir, `add-${run}`), data));
  }
  const [first] = runs;
  if (first === undefined) return;
  const { added, chunks } = first;
  const seconds = percentile(runs.map(({ ms }) => ms / 1000), 0.5);
  const rates = [
    ["read", added.readBytes / MB, "MB"],
    ["listed", added.files.length, "files"],
    ["stored", chunks, "chunks"],
  ] as const;
  for (const [verb, amount, unit] of rates) {
    report({ part, measure: `${unit} ${verb}`, value: amount, unit });
  }
  report({ part, measure: "files by state", value: describe(added) });
  report({
    part,
    measure: `time without vectors, of ${RUNS} runs`,
    value: seconds,
    unit: "s",
    note: runs.map(({ ms }) => toText(ms / 1000)).join(", "),
  });
  for (const [, amount, unit] of rates) {
    report({
      part,
      measure: `${unit} a second`,
      value: amount / seconds,
      unit: `${unit}/s`,
    });
  }
  await benchUnchanged(join(bases.dir, "add-0"), report, data);
}

async function addFresh(dir: string, data: string): Promise<AddRun> {
  await using kb = openKb({ dir });
  const started = performance.now();
  const added = await kb.add(data);
  const ms = performance.now() - started;
  return { ms, added, chunks: kb.status().chunks };
}

/** Adds and embeds a second time. Vectors come from a stand-in, as only their number is of interest. */
async function benchUnchanged(
  dir: string,
  report: Report,
  data: string,
): Promise<void> {
  const part = "add";
  const source = new ClusteredVectors(VECTORS);
  const embedder = preparedEmbedder(
    Array.from({ length: VECTORS }, (_, index) => source.at(index)),
  );
  await using kb = openKb({ dir, embedder });
  await kb.embed();
  const times: number[] = [];
  let embedded = 0;
  let read = 0;
  for (let run = 0; run < RUNS; run++) {
    const started = performance.now();
    read += (await kb.add(data)).readBytes;
    embedded += (await kb.embed()).embedded;
    times.push(performance.now() - started);
  }
  report({
    part,
    measure: "again, nothing changed",
    value: percentile(times, 0.5),
    unit: "ms",
    note: times.map(toText).join(", "),
  });
  report({
    part,
    measure: "again, chunks embedded",
    value: embedded,
    unit: "chunks",
  });
  report({ part, measure: "again, bytes read", value: read, unit: "B" });
}

function describe({ counts }: AddReport): string {
  return Object.entries(counts).map(([state, n]) => `${n} ${state}`).join(", ");
}
