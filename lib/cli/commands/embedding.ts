import type {
  Answer,
  EmbedOptions,
  EmbedReport,
  Engine,
} from "../../kb/mod.ts";
import { KbError } from "../../core/mod.ts";
import { stopped } from "../exit_codes.ts";
import { formatItems, formatSeconds } from "../format.ts";
import type { CliIo } from "../io.ts";
import { ProgressLine } from "../progress.ts";

const EMBED_KEPT =
  "texts and the vectors made so far are kept; go on with: kbdb embed";
const REINDEX_KEPT = "search goes on with the vectors that were there";

/** What making vectors came to, or why there are none. */
export type EmbedOutcome = EmbedReport | { readonly problem: string };

/** Makes the missing vectors with a progress line; a model that cannot be had is no failure. */
export function embedWithProgress(
  io: CliIo,
  kb: Engine,
): Promise<EmbedOutcome> {
  return withProgress(io, (options) => kb.embed(options), EMBED_KEPT);
}

/** Makes all vectors anew with a progress line; the old ones stay if the model cannot be had. */
export function reindexWithProgress(
  io: CliIo,
  kb: Engine,
): Promise<EmbedOutcome> {
  return withProgress(io, (options) => kb.reindex(options), REINDEX_KEPT);
}

async function withProgress(
  io: CliIo,
  make: (options: EmbedOptions) => Answer<EmbedReport>,
  kept: string,
): Promise<EmbedOutcome> {
  const line = new ProgressLine(io.err);
  try {
    return await make({
      signal: io.signal,
      onProgress: (progress) => line.update(progress),
    });
  } catch (error) {
    if (error instanceof KbError && error.code === "model_unavailable") {
      return { problem: error.message };
    }
    throw io.signal.aborted ? stopped(kept) : error;
  } finally {
    line.clear();
  }
}

/** Says what making vectors came to; `[]` if there was nothing to do. */
export function describeEmbedding(
  outcome: EmbedOutcome,
  seconds: number,
): string[] {
  if ("problem" in outcome) {
    return [
      `No vectors were made, the texts are found by word only: ${outcome.problem}`,
    ];
  }
  const { embedded, reused, cut, failed } = outcome;
  const lines: string[] = [];
  if (embedded + reused > 0) {
    const again = reused > 0 ? `, ${formatItems(reused, "vector")} reused` : "";
    lines.push(
      `Embedded ${formatItems(embedded, "chunk")}${again} in ${
        formatSeconds(seconds)
      }`,
    );
  }
  if (cut > 0) {
    lines.push(
      `${
        formatItems(cut, "chunk")
      } longer than the model's window, embedded in part`,
    );
  }
  if (failed.length > 0) {
    lines.push(
      `${
        formatItems(failed.length, "chunk")
      } could not be embedded and are found by word only: ${
        failed[0]?.message
      }`,
    );
  }
  return lines;
}
