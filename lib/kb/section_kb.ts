import { type Kbid, type SectionId, workerUrl } from "../core/mod.ts";
import {
  type AgentInput,
  type SkillDefinition,
  type SkillInput,
  storeAgent,
  storeSkill,
} from "../ingest/mod.ts";
import {
  type CatalogVersions,
  countPending,
  listDocidsOf,
  listIdsFrom,
  readCatalogVersions,
  readChangeMark,
  readDocumentVersion,
  readSectionVersion,
  type Store,
} from "../store/mod.ts";
import { checkLabels } from "./labels.ts";
import { learnSection } from "./learn.ts";
import { type BaseModel, findModelOf } from "./models.ts";
import type {
  Agent,
  CheckReport,
  DocumentRecord,
  GcReport,
  LearnOptions,
  LearnReport,
  RebuildReport,
  Section,
  UpkeepOptions,
} from "./section_types.ts";
import {
  collectGarbage,
  readDocument,
  readSection,
  removeSection,
} from "./sections.ts";
import {
  findAgent,
  findSkill,
  readAgents,
  readSkills,
  removeAgent,
  removeSkill,
} from "./skills.ts";
import { startUpkeep } from "./upkeep.ts";

/** The part of an open base that works on sections: learning, skills, agents, upkeep, changes. */
export abstract class SectionKb {
  readonly #store: Store;
  readonly #model: BaseModel;

  /** Takes the store and model of the base. */
  constructor(store: Store, model: BaseModel) {
    this.#store = store;
    this.#model = model;
  }

  /**
   * Learns a content as one section, found by word at once. It joins the document `docid`, or
   * stands alone.
   *
   * @throws {KbError} `invalid_input` if the content is blank, too long, or an image without
   * title; `unsupported_type` for another type; `conflict` if the document is a file's or an agent.
   */
  learn(
    content: string | Uint8Array,
    options: LearnOptions = {},
  ): LearnReport {
    checkLabels(options);
    return learnSection(this.#store, this.#model.measure(), content, options);
  }

  /** Removes a section from the base and from every document; answers whether it was there. */
  unlearn(kbid: string): boolean {
    return removeSection(this.#store, kbid);
  }

  /**
   * Gets a section by its kbid.
   *
   * @throws {KbError} `not_found` if there is none.
   */
  getSection(kbid: string): Section {
    return this.#store.read(() => readSection(this.#store, kbid));
  }

  /** Lists the docids of the documents that have a section, as a hit names it; `[]` if it is gone. */
  listDocidsOf(id: SectionId): string[] {
    return this.#store.read(() => listDocidsOf(this.#store, id));
  }

  /**
   * Gets a document by its docid, with the list of its sections.
   *
   * @throws {KbError} `not_found` if there is none.
   */
  getDocument(docid: string): DocumentRecord {
    return this.#store.read(() => readDocument(this.#store, docid));
  }

  /**
   * Stores a skill; the same skill again changes nothing.
   *
   * @throws {KbError} `invalid_input` if its name is not in kebab case or its body is blank.
   */
  learnSkill(
    input: SkillInput,
  ): { readonly skill: SkillDefinition; readonly created: boolean } {
    return storeSkill(this.#store, input, this.#model.measure());
  }

  /** Lists the skills, oldest first; a name may be there more than once. */
  listSkills(): SkillDefinition[] {
    return this.#store.read(() => readSkills(this.#store));
  }

  /**
   * Gets a skill by kbid, else by name: of several, the one stored last.
   *
   * @throws {KbError} `invalid_input` if neither is given; `not_found` if there is none.
   */
  getSkill(
    by: { readonly kbid?: string; readonly name?: string },
  ): SkillDefinition {
    return this.#store.read(() => findSkill(this.#store, by));
  }

  /**
   * Removes a skill; agents that refer to it keep the reference.
   *
   * @throws {KbError} `not_found` if there is none.
   */
  removeSkill(kbid: string): void {
    removeSkill(this.#store, kbid);
  }

  /**
   * Stores an agent; the same agent again changes nothing.
   *
   * @throws {KbError} `invalid_input` if its name is not in kebab case or its persona is blank.
   */
  createAgent(input: AgentInput): Agent {
    const docid = storeAgent(this.#store, input);
    return this.getAgent(docid);
  }

  /** Lists the agents, oldest first. */
  listAgents(): Agent[] {
    return this.#store.read(() => readAgents(this.#store));
  }

  /**
   * Gets an agent by its docid, with its skills.
   *
   * @throws {KbError} `not_found` if there is none.
   */
  getAgent(docid: string): Agent {
    return this.#store.read(() => findAgent(this.#store, docid));
  }

  /**
   * Removes an agent; its skills stay.
   *
   * @throws {KbError} `not_found` if there is none.
   */
  removeAgent(docid: string): void {
    removeAgent(this.#store, docid);
  }

  /**
   * Verifies the base in a thread of its own: database, word index, hashes, what belongs to
   * nothing, references.
   *
   * @throws {KbError} `cancelled` if `signal` aborts.
   */
  async check(options: UpkeepOptions = {}): Promise<CheckReport> {
    const path = this.#store.path;
    return await startUpkeep(workerUrl("upkeep_worker"), {
      type: "check",
      path,
    }, options);
  }

  /** Removes the sections that no document has, skills excepted; `dryRun` only says which. */
  gc(options: { readonly dryRun?: boolean } = {}): GcReport {
    return collectGarbage(this.#store, options);
  }

  /**
   * Makes all that can be derived anew, in a thread of its own: chunks, word index, and which
   * vectors are still of their text. Search answers all the while.
   *
   * @throws {KbError} `cancelled` if `signal` aborts; `busy` if another process writes too long.
   */
  async rebuild(options: UpkeepOptions = {}): Promise<RebuildReport> {
    const done = await startUpkeep(workerUrl("upkeep_worker"), {
      type: "rebuild",
      path: this.#store.path,
      source: this.#model.measureSource(),
    }, options);
    return {
      sectionsReindexed: done.sections,
      termsIndexed: done.terms,
      pendingChunks:
        countPending(this.#store, findModelOf(this.#store, this.#model)?.id)
          .chunks,
    };
  }

  /** A mark that changes whenever this or another process wrote to the base. */
  changeMark(): string {
    return readChangeMark(this.#store);
  }

  /** A mark of a section or document that changes with it; `undefined` if it is not there. */
  versionOf(
    ref: { readonly kbid: string } | { readonly docid: string },
  ): string | undefined {
    return "kbid" in ref
      ? readSectionVersion(this.#store, ref.kbid as Kbid)
      : readDocumentVersion(this.#store, ref.docid);
  }

  /** Marks that change with the list of documents, and with that of skills and agents. */
  catalogVersions(): CatalogVersions {
    return readCatalogVersions(this.#store);
  }

  /** Lists ids that begin with a text, A to Z. */
  findIds(kind: "kbid" | "docid", prefix: string, limit: number): string[] {
    return listIdsFrom(this.#store, kind, prefix, limit);
  }
}
