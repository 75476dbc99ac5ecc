import type { Tool } from "../../tool.ts";
import { kbGetTool, kbJobsTool, kbStatusTool } from "./documents.ts";
import { kbAddNoteTool, kbUpdateNoteTool } from "./notes.ts";
import { kbSearchTool } from "./search.ts";
import {
  kbUploadChunkTool,
  kbUploadFinishTool,
  kbUploadStartTool,
} from "./upload.ts";

/** The tools on documents, jobs and uploads, in the order they are listed. */
export const KB_TOOLS: readonly Tool[] = [
  kbSearchTool,
  kbAddNoteTool,
  kbUpdateNoteTool,
  kbGetTool,
  kbStatusTool,
  kbJobsTool,
  kbUploadStartTool,
  kbUploadChunkTool,
  kbUploadFinishTool,
];
