import {
  type JsonObject,
  KbError,
  LIMITS,
  sha256Hex,
  toKbid,
} from "../core/mod.ts";
import {
  addTags,
  findDocumentsBy,
  insertDocument,
  type Store,
} from "../store/mod.ts";
import { checkLength, checkName } from "./skills.ts";

/** An agent: a persona and skills. */
export interface AgentInput {
  /** Kebab-case name. */
  readonly name: string;
  /** What it does. */
  readonly description: string;
  /** System prompt. */
  readonly persona: string;
  /** Names of skill sections, in order. */
  readonly skills: readonly string[];
}

/**
 * Stores an agent as a document of type `agent`; the same agent again changes nothing.
 *
 * @returns Its docid, made of what it is.
 * @throws {KbError} `invalid_input` if its name is not in kebab case, its persona is blank, or a
 * part is too long.
 */
export function storeAgent(store: Store, input: AgentInput): string {
  const name = input.name.trim();
  checkName("agent", name);
  const description = input.description.trim();
  checkLength("agent description", description, LIMITS.descriptionChars);
  const persona = input.persona.trim();
  if (persona === "") {
    throw new KbError("invalid_input", "agent persona must not be empty");
  }
  checkLength("agent persona", persona, LIMITS.noteChars);
  const skills = [...new Set(input.skills)];
  if (skills.length > LIMITS.agentSkills) {
    throw new KbError(
      "invalid_input",
      `The agent has ${skills.length} skills, the limit is ${LIMITS.agentSkills}`,
    );
  }
  const metadata: JsonObject = { name, description, persona, skills };
  const content = JSON.stringify(metadata);
  const docid = `agent-${toKbid(content)}`;
  return store.write(() => {
    if (findDocumentsBy(store, "docid", docid).length === 0) {
      const id = insertDocument(store, {
        docid,
        title: name,
        docType: "agent",
        mime: "application/json",
        sourcePath: null,
        contentHash: sha256Hex(content),
        metadata,
        warnings: [],
      });
      addTags(store, id, ["collection:documents"]);
    }
    return docid;
  });
}

/** Reads an agent back from its document's metadata. */
export function readAgent(metadata: JsonObject): AgentInput {
  const { name, description, persona, skills } = metadata;
  return {
    name: String(name),
    description: String(description),
    persona: String(persona),
    skills: Array.isArray(skills) ? skills.map(String) : [],
  };
}
