import { GUIDE } from "../guide_text.ts";
import { type CliIo, type GlobalOptions, writeJson } from "../io.ts";

/** Prints the guide for agents. */
export function guide(io: CliIo, options: GlobalOptions): number {
  if (options.format === "json") writeJson(io, { guide: GUIDE });
  else io.out.write(GUIDE);
  return 0;
}
