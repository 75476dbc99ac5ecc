import { KbError, type Kbid } from "../core/mod.ts";
import { readAgent, readSkill, type SkillDefinition } from "../ingest/mod.ts";
import {
  deleteDocument,
  deleteSection,
  type DocumentRow,
  findDocument,
  findDocumentsBy,
  findSection,
  listAgentIds,
  listSkillSections,
  type SectionRow,
  type Store,
} from "../store/mod.ts";
import type { Agent } from "./section_types.ts";

/** Lists the skills, oldest first; names may be there more than once. */
export function readSkills(store: Store): SkillDefinition[] {
  return listSkillSections(store).map(({ kbid, content }) =>
    readSkill(kbid, String(content))
  );
}

/**
 * Gets a skill by kbid, else by name: of several, the one stored last.
 *
 * @throws {KbError} `invalid_input` if neither is given; `not_found` if there is none.
 */
export function findSkill(
  store: Store,
  { kbid, name }: { readonly kbid?: string; readonly name?: string },
): SkillDefinition {
  if (kbid !== undefined) {
    const row = getSkillRow(store, kbid);
    return readSkill(row.kbid, String(row.content));
  }
  if (name === undefined) {
    throw new KbError("invalid_input", "Provide name or kbid");
  }
  const skills = readSkills(store);
  const found = skills.findLast((skill) => skill.name === name);
  if (found !== undefined) return found;
  const known = [...new Set(skills.map((skill) => skill.name))];
  throw new KbError(
    "not_found",
    `Skill not found: ${name}${describeNear(name, known)}`,
    { details: { name } },
  );
}

/**
 * Removes a skill; agents that refer to it keep the reference.
 *
 * @throws {KbError} `not_found` if there is none.
 */
export function removeSkill(store: Store, kbid: string): void {
  store.write(() => deleteSection(store, getSkillRow(store, kbid).id));
}

/** Lists the agents, oldest first. */
export function readAgents(store: Store): Agent[] {
  return listAgentIds(store).flatMap((id) => findDocument(store, id) ?? [])
    .map((row) => toAgent(store, row));
}

/**
 * Gets an agent by its docid.
 *
 * @throws {KbError} `not_found` if there is none.
 */
export function findAgent(store: Store, docid: string): Agent {
  return toAgent(store, getAgentRow(store, docid));
}

/**
 * Removes an agent; its skills stay.
 *
 * @throws {KbError} `not_found` if there is none.
 */
export function removeAgent(store: Store, docid: string): void {
  store.write(() => deleteDocument(store, getAgentRow(store, docid).id));
}

function getSkillRow(store: Store, kbid: string): SectionRow {
  const row = findSection(store, kbid as Kbid);
  if (row?.sectionType !== "skill") {
    throw new KbError("not_found", `Skill not found: ${kbid}`, {
      details: { kbid },
    });
  }
  return row;
}

function getAgentRow(store: Store, docid: string): DocumentRow {
  const [row] = findDocumentsBy(store, "docid", docid);
  if (row?.docType !== "agent") {
    throw new KbError("not_found", `Agent not found: ${docid}`, {
      details: { docid },
    });
  }
  return row;
}

function toAgent(store: Store, { docid, metadata }: DocumentRow): Agent {
  const { skills, ...agent } = readAgent(metadata);
  return {
    docid,
    ...agent,
    skills: skills.map((kbid, position) => {
      const row = findSection(store, kbid as Kbid);
      const skill = row?.sectionType === "skill"
        ? readSkill(row.kbid, String(row.content))
        : undefined;
      return {
        kbid,
        name: skill?.name ?? null,
        description: skill?.description ?? null,
        position,
      };
    }),
  };
}

/** Names that share a word with what was asked for, else the first ones. */
function describeNear(name: string, known: readonly string[]): string {
  const words = new Set(name.toLowerCase().split(/[^a-z0-9]+/));
  const near = known.filter((other) =>
    other.split("-").some((word) => words.has(word))
  );
  const shown = (near.length > 0 ? near : known).slice(0, 5);
  return shown.length === 0
    ? "; there are no skills yet"
    : `; there is: ${shown.join(", ")}`;
}
