import { INSTRUCTIONS, KB_INSTRUCTIONS } from "./instructions.ts";
import type { ServerExtras } from "./server.ts";
import type { Tool } from "./tool.ts";
import { KB_TOOLS } from "./tools/kb/mod.ts";
import { KBDB_TOOLS } from "./tools/mod.ts";

/** `kbdb`: sections, skills and agents; `kb`: documents, jobs and uploads; `all`: both. */
export type ToolSet = "kbdb" | "kb" | "all";

const OFFERED: Readonly<
  Record<ToolSet, Required<Pick<ServerExtras, "tools" | "instructions">>>
> = {
  kbdb: { tools: KBDB_TOOLS, instructions: INSTRUCTIONS },
  kb: { tools: KB_TOOLS, instructions: KB_INSTRUCTIONS },
  all: {
    tools: [...KBDB_TOOLS, ...KB_TOOLS],
    instructions: `${INSTRUCTIONS}
- The tools named kb_ do the same for whole documents, by number, and take in files; the others work on sections, by kbid. Either kind sees what the other stored.`,
  },
};

/** Says what a server offers of a set of tools. */
export function toToolExtras(
  { tools: name = "kbdb", readOnly = false }: {
    readonly tools?: ToolSet;
    readonly readOnly?: boolean;
  },
): Pick<ServerExtras, "tools" | "instructions"> {
  const { tools, instructions } = OFFERED[name];
  return { tools: readOnly ? tools.filter(isReading) : tools, instructions };
}

function isReading(tool: Tool): boolean {
  return tool.describe().annotations?.readOnlyHint === true;
}
