import type { McpBase } from "./base.ts";
import type { Tool } from "./tool.ts";
import { kbTools, type KbToolsOptions } from "./tools/kb/mod.ts";
import { KBDB_TOOLS } from "./tools/mod.ts";
import { Uploads } from "./uploads.ts";

/** Which tools a server offers: the 18 of kbdb, the nine `kb_*` ones, or both. */
export type ToolSet = "kbdb" | "kb" | "all";

/** The tools of a set, and what they keep between calls. */
export interface OpenToolSet extends AsyncDisposable {
  /** In the order they are listed. */
  readonly tools: readonly Tool[];
}

/** How the tools of a set are set. */
export interface ToolSetOptions extends KbToolsOptions {
  /** Largest file that is taken in parts; default and most is what is indexed. */
  readonly maxUploadBytes?: number;
}

/** Makes the tools of a set for a base. */
export function openToolSet(
  kb: McpBase,
  set: ToolSet,
  options: ToolSetOptions = {},
): OpenToolSet {
  const { maxUploadBytes } = options;
  const uploads = new Uploads(
    kb.jobs,
    maxUploadBytes === undefined ? {} : { maxBytes: maxUploadBytes },
  );
  const own = set === "kb" ? [] : KBDB_TOOLS;
  return {
    tools: [...own, ...(set === "kbdb" ? [] : kbTools(uploads, options))],
    [Symbol.asyncDispose]: () => uploads[Symbol.asyncDispose](),
  };
}

/** Says whether a tool changes nothing. */
export function isReading(tool: Tool): boolean {
  return tool.describe().annotations?.readOnlyHint === true;
}
