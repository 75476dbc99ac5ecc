/**
 * The table of metrics in docs/operations.md, written from lib/http/metrics.ts.
 *
 * @module
 */
import { METRICS } from "../../lib/http/metrics.ts";

/** Writes the part of docs/operations.md that says which metrics there are. */
export function metricsReference(): ReadonlyMap<string, string> {
  const rows = METRICS.map(({ name, type, labels, help }) => [
    `\`${name}\``,
    type,
    labels.map((label) => `\`${label}\``).join(", "),
    help,
  ]);
  const table = [
    ["metric", "type", "labels", "what it says"],
    ["---", "---", "---", "---"],
    ...rows,
  ].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  return new Map([["metrics", table]]);
}
