import type { Tool } from "../../tool.ts";
import type { Uploads } from "../../uploads.ts";
import { kbGetTool, kbJobsTool, kbStatusTool } from "./documents.ts";
import { kbAddNoteTool, kbUpdateNoteTool } from "./notes.ts";
import { kbSearchTool } from "./search.ts";
import { uploadTools } from "./uploads.ts";

/** The nine tools for agents that reach a base over the network. */
export function kbTools(uploads: Uploads): Tool[] {
  return [
    kbSearchTool,
    kbAddNoteTool,
    kbUpdateNoteTool,
    kbGetTool,
    kbStatusTool,
    kbJobsTool,
    ...uploadTools(uploads),
  ];
}
