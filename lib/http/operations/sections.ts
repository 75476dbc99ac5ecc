import { z } from "zod";
import type { SectionKb } from "../../kb/mod.ts";
import { operation, type OperationTable } from "./operation.ts";
import * as of from "./schemas.ts";

/** Operations on sections, skills and agents, and on the base as a whole. */
export const SECTION_OPERATIONS: OperationTable<keyof SectionKb> = {
  learn: operation(
    "learn",
    "write",
    z.tuple([of.content, of.learnOptions.exactOptional()]),
    (kb, args) => kb.learn(...args),
  ),
  unlearn: operation(
    "unlearn",
    "write",
    of.oneText,
    (kb, args) => kb.unlearn(...args),
  ),
  getSection: operation(
    "getSection",
    "read",
    of.oneText,
    (kb, args) => kb.getSection(...args),
  ),
  listDocidsOf: operation(
    "listDocidsOf",
    "read",
    z.tuple([of.sectionId]),
    (kb, args) => kb.listDocidsOf(...args),
  ),
  getDocument: operation(
    "getDocument",
    "read",
    of.oneText,
    (kb, args) => kb.getDocument(...args),
  ),
  learnSkill: operation(
    "learnSkill",
    "write",
    z.tuple([of.skillInput]),
    (kb, args) => kb.learnSkill(...args),
  ),
  listSkills: operation("listSkills", "read", of.none, (kb) => kb.listSkills()),
  getSkill: operation(
    "getSkill",
    "read",
    z.tuple([z.strictObject({
      kbid: of.text.exactOptional(),
      name: of.text.exactOptional(),
    })]),
    (kb, args) => kb.getSkill(...args),
  ),
  removeSkill: operation(
    "removeSkill",
    "write",
    of.oneText,
    (kb, args) => kb.removeSkill(...args),
  ),
  createAgent: operation(
    "createAgent",
    "write",
    z.tuple([of.agentInput]),
    (kb, args) => kb.createAgent(...args),
  ),
  listAgents: operation("listAgents", "read", of.none, (kb) => kb.listAgents()),
  getAgent: operation(
    "getAgent",
    "read",
    of.oneText,
    (kb, args) => kb.getAgent(...args),
  ),
  removeAgent: operation(
    "removeAgent",
    "write",
    of.oneText,
    (kb, args) => kb.removeAgent(...args),
  ),
  check: operation(
    "check",
    "read",
    z.tuple([of.noOptions.exactOptional()]),
    (kb, _, { long }) => kb.check(long),
  ),
  gc: operation(
    "gc",
    "write",
    z.tuple([
      z.strictObject({ dryRun: of.flag.exactOptional() }).exactOptional(),
    ]),
    (kb, args) => kb.gc(...args),
  ),
  rebuild: operation(
    "rebuild",
    "admin",
    z.tuple([of.noOptions.exactOptional()]),
    (kb, _, { long }) => kb.rebuild(long),
  ),
  changeMark: operation("changeMark", "read", of.none, (kb) => kb.changeMark()),
  versionOf: operation(
    "versionOf",
    "read",
    z.tuple([of.versionRef]),
    (kb, args) => kb.versionOf(...args),
  ),
  catalogVersions: operation(
    "catalogVersions",
    "read",
    of.none,
    (kb) => kb.catalogVersions(),
  ),
  findIds: operation(
    "findIds",
    "read",
    z.tuple([z.enum(["kbid", "docid"]), of.text, z.int().min(1).max(10_000)]),
    (kb, args) => kb.findIds(...args),
  ),
};
