import type { Tool } from "../tool.ts";
import {
  agentCreateTool,
  agentDeleteTool,
  agentGetTool,
  agentListTool,
} from "./agents.ts";
import { contentTool, recallTool } from "./recall.ts";
import { searchTool } from "./search.ts";
import { learnTool, retrieveTool, unlearnTool } from "./sections.ts";
import {
  skillDeleteTool,
  skillGetTool,
  skillLearnTool,
  skillListTool,
} from "./skills.ts";
import { checkTool, gcTool, rebuildTool, statusTool } from "./upkeep.ts";

/** The tools of kbdb, in the order they are listed. */
export const KBDB_TOOLS: readonly Tool[] = [
  searchTool,
  learnTool,
  unlearnTool,
  retrieveTool,
  recallTool,
  contentTool,
  statusTool,
  checkTool,
  gcTool,
  rebuildTool,
  skillLearnTool,
  skillListTool,
  skillGetTool,
  skillDeleteTool,
  agentCreateTool,
  agentListTool,
  agentGetTool,
  agentDeleteTool,
];
