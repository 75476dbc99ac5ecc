import type { Tool } from "../../tool.ts";
import type { Uploads } from "../../uploads.ts";
import { kbGetTool, kbJobsTool, kbStatusTool } from "./documents.ts";
import { kbAddNoteTool, kbUpdateNoteTool } from "./notes.ts";
import { kbSearchTool } from "./search.ts";
import { uploadTools } from "./uploads.ts";

/** How the tools are set. */
export interface KbToolsOptions {
  /** Least score of a hit where a search names none. */
  readonly threshold?: number;
}

/** The nine tools for agents that reach a base over the network. */
export function kbTools(
  uploads: Uploads,
  { threshold }: KbToolsOptions = {},
): Tool[] {
  return [
    kbSearchTool(threshold),
    kbAddNoteTool,
    kbUpdateNoteTool,
    kbGetTool,
    kbStatusTool,
    kbJobsTool,
    ...uploadTools(uploads),
  ];
}
