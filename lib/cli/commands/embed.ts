import {
  type CliIo,
  type GlobalOptions,
  writeJson,
  writeLines,
} from "../io.ts";
import { EXIT_CODES } from "../exit_codes.ts";
import { openForReading } from "../session.ts";
import {
  describeEmbedding,
  embedWithProgress,
  reindexWithProgress,
} from "./embedding.ts";

/** Makes the vectors that are missing. */
export function embed(io: CliIo, options: GlobalOptions): Promise<number> {
  return makeVectors(io, options, {
    make: embedWithProgress,
    nothing: "Every chunk has a vector",
  });
}

/** Makes all vectors anew; search answers from the old ones meanwhile. */
export function reindex(io: CliIo, options: GlobalOptions): Promise<number> {
  return makeVectors(io, options, {
    make: reindexWithProgress,
    nothing: "There is no chunk to make a vector of",
  });
}

async function makeVectors(
  io: CliIo,
  options: GlobalOptions,
  { make, nothing }: {
    readonly make: typeof embedWithProgress;
    readonly nothing: string;
  },
): Promise<number> {
  await using kb = await openForReading(io, options, { model: true });
  const started = performance.now();
  const outcome = await make(io, kb);
  if (options.format === "json") writeJson(io, outcome);
  else {
    const seconds = (performance.now() - started) / 1000;
    const lines = describeEmbedding(outcome, seconds);
    writeLines(io.out, lines.length === 0 ? [nothing] : lines);
  }
  return "problem" in outcome ? EXIT_CODES.model_unavailable : 0;
}
