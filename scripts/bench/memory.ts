import { statSync } from "node:fs";
import { type Bases, databaseOf } from "./bases.ts";
import { runChild } from "./child.ts";
import type { MemorySteps } from "./memory_child.ts";
import { ratio, type Report } from "./table.ts";
import { makeQueries } from "./text.ts";

const MB = 1e6;

/** Measures the memory of a process that searches a base, and the size of the base. */
export async function benchMemory(
  bases: Bases,
  report: Report,
  { planned, queries }: { readonly planned: number; readonly queries: number },
): Promise<void> {
  const part = "memory";
  const { dir, chunks, textBytes } = await bases.generated(planned);
  // Whoever closed the base last has folded the write-ahead log back.
  const bytes = statSync(databaseOf(dir)).size;
  report({
    part,
    measure: `${chunks} chunks: database a chunk`,
    value: bytes / chunks,
    unit: "B",
    note: ratio(
      bytes,
      textBytes,
      `text of ${Math.round(textBytes / chunks)} B`,
    ),
  });
  const { result } = await runChild<MemorySteps>("memory_child.ts", {
    args: [dir],
    input: JSON.stringify(
      makeQueries(bases.vocabulary, "content words", queries),
    ),
  });
  const steps: readonly [string, number][] = [
    ["after opening", result.openedBytes],
    ["after a query by word", result.wordsBytes],
    ["after a query with model and vectors", result.modelBytes],
    [`after ${queries} queries`, result.queriesBytes],
  ];
  for (const [step, value] of steps) {
    report({
      part,
      measure: `${chunks} chunks: RSS ${step}`,
      value: value / MB,
      unit: "MB",
    });
  }
}
