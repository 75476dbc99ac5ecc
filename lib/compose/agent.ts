import { toHeading } from "./markdown.ts";
import { parseSkill, textOf, toLower } from "./skill.ts";
import type { ComposeDocument, ComposeReader } from "./types.ts";

/** Writes an agent: name, description, persona, skills in order. */
export function* toAgentBlocks(
  reader: ComposeReader,
  { title, metadata }: ComposeDocument,
  level: number,
): Generator<string> {
  const name = textOf(metadata, "name");
  yield toHeading(level, name === "" ? title : name);
  const description = textOf(metadata, "description");
  if (description !== "") yield description;
  const persona = textOf(metadata, "persona");
  if (persona !== "") {
    yield toHeading(level + 1, "Persona");
    yield toLower(persona, level + 2);
  }
  const skills = metadata["skills"];
  if (!Array.isArray(skills) || skills.length === 0) return;
  yield toHeading(level + 1, "Skills");
  yield skills.map((kbid, index) =>
    `${index + 1}. ${toSkillLine(reader, String(kbid))}`
  ).join("\n");
}

/** One line for a skill, which may have been deleted. */
function toSkillLine(reader: ComposeReader, kbid: string): string {
  const item = reader.find(kbid);
  if (item?.kind !== "section") return `\`${kbid}\` (not in the base any more)`;
  const content = reader.readContent(item.section.id);
  const skill = typeof content === "string" ? parseSkill(content) : undefined;
  const name = skill === undefined || skill.name === ""
    ? item.section.title ?? kbid
    : skill.name;
  const description = (skill?.description ?? "").replace(/\s+/g, " ");
  const end = description === "" ? "" : `: ${description}`;
  return `[${name}](kbdb://section/${kbid})${end}`;
}
