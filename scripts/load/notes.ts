import { percentile } from "../measure.ts";
import type { Goals } from "./goals.ts";
import type { ServeProcess } from "./server.ts";

const PART = "patch";
const UPDATES = 50;

/** Changes a note again and again; each time the next search has to know. */
export async function loadNotes(
  server: ServeProcess,
  goals: Goals,
): Promise<void> {
  const { id } = await server.ask("POST", "/api/v1/jobs", {
    note: toText(0),
  });
  const { document } = await server.waitForJob(id);
  const times: number[] = [];
  let stale = 0;
  for (let update = 1; update <= UPDATES; update++) {
    const started = performance.now();
    await server.ask("PATCH", `/api/v1/notes/${document}`, {
      text: toText(update),
    });
    times.push(performance.now() - started);
    const isHybrid = update % 2 === 0;
    const isFound = await finds(server, document, update, isHybrid);
    const isOldFound = await finds(server, document, update - 1, false);
    if (!isFound || isOldFound) stale++;
  }
  goals.report({
    part: PART,
    measure: `a note replaced, of ${UPDATES}`,
    value: percentile(times, 0.5),
    p95: percentile(times, 0.95),
    unit: "ms",
  });
  goals.check({
    part: PART,
    measure: "  next search without it, or with the old text",
    value: stale,
    most: 0,
    unit: "",
  });
}

function toText(update: number): string {
  return `The relay of the pump clicks ${
    wordOf(update)
  } times before it holds.`;
}

/** A word that stands in one version of the note and nowhere else. */
function wordOf(update: number): string {
  return `zqx${update}v`;
}

async function finds(
  server: ServeProcess,
  document: number,
  update: number,
  isHybrid: boolean,
): Promise<boolean> {
  const word = wordOf(update);
  const { results } = await server.ask("POST", "/api/v1/search", {
    query: word,
    fts_only: !isHybrid,
  });
  return results.some((hit: { document_id: number; text: string }) =>
    hit.document_id === document && hit.text.includes(word)
  );
}
