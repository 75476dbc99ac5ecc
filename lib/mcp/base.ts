import type { Kb } from "../kb/mod.ts";

/** What the server asks of a base: a part of the facade. */
export type McpBase = Pick<
  Kb,
  | "changeMark"
  | "catalogVersions"
  | "check"
  | "compose"
  | "createAgent"
  | "embed"
  | "findIds"
  | "gc"
  | "getAgent"
  | "getDocument"
  | "getSection"
  | "getSkill"
  | "learn"
  | "learnSkill"
  | "list"
  | "listDocidsOf"
  | "listAgents"
  | "listSkills"
  | "rebuild"
  | "recall"
  | "removeAgent"
  | "removeSkill"
  | "search"
  | "searchStats"
  | "status"
  | "unlearn"
  | "versionOf"
>;
