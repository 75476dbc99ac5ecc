import { KbError } from "../core/mod.ts";
import type {
  AddOptions,
  AddReport,
  EmbedOptions,
  Engine,
  ImportOptions,
  ImportReport,
  SearchOptions,
  SyncOptions,
  UpdateNoteOptions,
  UpkeepOptions,
} from "../kb/mod.ts";
import type { Arguments, Result } from "../wire/mod.ts";
import type { EngineAddress } from "./address.ts";
import { Caller, type CallOptions } from "./caller.ts";
import { RemoteJobs } from "./jobs.ts";

/** How to talk to an engine. */
export interface RemoteEngineOptions {
  /** Where it is. */
  readonly address: EngineAddress;
  /** Version of this kbdb. */
  readonly version: string;
  /** Least version of the engine; default {@linkcode MIN_ENGINE_VERSION}. */
  readonly leastVersion?: string;
  /** Where paths are meant from by which documents are named; without it they are sent as they are only. */
  readonly cwd?: string;
}

/**
 * An engine in another process. Nothing is sent before the first call, so that it can be made while the engine is
 * away; a call then fails with `unreachable`.
 */
export class RemoteEngine implements Engine {
  /** Files and notes that wait to be taken in. */
  readonly jobs: RemoteJobs;
  readonly #caller: Caller;

  /** Takes where the engine is. */
  constructor({ address, version, leastVersion, cwd }: RemoteEngineOptions) {
    this.#caller = new Caller(address, { version, leastVersion, cwd });
    this.jobs = new RemoteJobs(this.#caller);
  }

  /**
   * As {@linkcode Engine.add}. An engine of this machine and user reads the files itself; to any other they are
   * sent, one job a file, and what is gone from a folder is not removed there.
   */
  async add(path: string, options: AddOptions = {}): Promise<AddReport> {
    const [sent, call] = split(options);
    if ("isPrivate" in this.#caller.address) {
      return await this.#caller.call("add", [path, sent], call);
    }
    const { sendFiles } = await import("./send_files.ts");
    return await sendFiles(this.jobs, path, options);
  }

  /**
   * As {@linkcode Engine.sync}. An engine of this machine and user reads the files itself; to any other what it does
   * not have is sent, and the folder is not remembered there.
   */
  async sync(path: string, options: SyncOptions = {}): Promise<AddReport> {
    const [sent, call] = split(options);
    if ("isPrivate" in this.#caller.address) {
      return await this.#caller.call("sync", [path, sent], call);
    }
    const { syncFolderTo } = await import("./sync_folder.ts");
    return await syncFolderTo(this, path, options);
  }

  /** As {@linkcode Engine.listRoots}. */
  listRoots(...args: Arguments<"listRoots">): Promise<Result<"listRoots">> {
    return this.#caller.call("listRoots", args);
  }

  /** As {@linkcode Engine.forgetRoot}. */
  forgetRoot(...args: Arguments<"forgetRoot">): Promise<Result<"forgetRoot">> {
    return this.#caller.call("forgetRoot", args);
  }

  /**
   * As {@linkcode Engine.importFrom}, which an engine of this machine and user does only: it reads the files itself.
   *
   * @throws {KbError} `invalid_input` if the engine is any other.
   */
  async importFrom(
    path: string,
    options: ImportOptions = {},
  ): Promise<ImportReport> {
    const [sent, call] = split(options);
    if ("isPrivate" in this.#caller.address) {
      return await this.#caller.call("importFrom", [path, sent], call);
    }
    throw new KbError(
      "invalid_input",
      "Cannot import into an engine on another machine: run kbdb import there, or send the files with kbdb add",
    );
  }

  /** As {@linkcode Engine.embed}. */
  embed(options: EmbedOptions = {}): Promise<Result<"embed">> {
    const [sent, call] = split(options);
    return this.#caller.call("embed", [sent], call);
  }

  /** As {@linkcode Engine.reindex}. */
  reindex(options: EmbedOptions = {}): Promise<Result<"reindex">> {
    const [sent, call] = split(options);
    return this.#caller.call("reindex", [sent], call);
  }

  /** As {@linkcode Engine.search}. */
  search(
    query: string,
    options: SearchOptions = {},
  ): Promise<Result<"search">> {
    const [sent, call] = split(options);
    return this.#caller.call("search", [query, sent], call);
  }

  /** As {@linkcode Engine.updateNote}. */
  updateNote(
    ref: string,
    text: string,
    options: UpdateNoteOptions = {},
  ): Promise<Result<"updateNote">> {
    const [sent, call] = split(options);
    return this.#caller.call("updateNote", [ref, text, sent], call);
  }

  /** As {@linkcode Engine.restoreNote}. */
  restoreNote(
    ref: string,
    version: number,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<Result<"restoreNote">> {
    const [sent, call] = split(options);
    return this.#caller.call("restoreNote", [ref, version, sent], call);
  }

  /** As {@linkcode Engine.check}. */
  check(options: UpkeepOptions = {}): Promise<Result<"check">> {
    const [sent, call] = split(options);
    return this.#caller.call("check", [sent], call);
  }

  /** As {@linkcode Engine.rebuild}. */
  rebuild(options: UpkeepOptions = {}): Promise<Result<"rebuild">> {
    const [sent, call] = split(options);
    return this.#caller.call("rebuild", [sent], call);
  }

  /** As {@linkcode Engine.addNote}. */
  addNote(...args: Arguments<"addNote">): Promise<Result<"addNote">> {
    return this.#caller.call("addNote", args);
  }

  /** As {@linkcode Engine.searchStats}. */
  searchStats(
    ...args: Arguments<"searchStats">
  ): Promise<Result<"searchStats">> {
    return this.#caller.call("searchStats", args);
  }

  /** As {@linkcode Engine.list}. */
  list(...args: Arguments<"list">): Promise<Result<"list">> {
    return this.#caller.call("list", args);
  }

  /** As {@linkcode Engine.listTags}. */
  listTags(...args: Arguments<"listTags">): Promise<Result<"listTags">> {
    return this.#caller.call("listTags", args);
  }

  /** As {@linkcode Engine.listCollections}. */
  listCollections(
    ...args: Arguments<"listCollections">
  ): Promise<Result<"listCollections">> {
    return this.#caller.call("listCollections", args);
  }

  /** As {@linkcode Engine.renameCollection}. */
  renameCollection(
    ...args: Arguments<"renameCollection">
  ): Promise<Result<"renameCollection">> {
    return this.#caller.call("renameCollection", args);
  }

  /** As {@linkcode Engine.removeCollection}. */
  removeCollection(
    ...args: Arguments<"removeCollection">
  ): Promise<Result<"removeCollection">> {
    return this.#caller.call("removeCollection", args);
  }

  /** As {@linkcode Engine.summary}. */
  summary(...args: Arguments<"summary">): Promise<Result<"summary">> {
    return this.#caller.call("summary", args);
  }

  /** As {@linkcode Engine.info}. */
  info(...args: Arguments<"info">): Promise<Result<"info">> {
    return this.#caller.call("info", args);
  }

  /** As {@linkcode Engine.chunks}. */
  chunks(...args: Arguments<"chunks">): Promise<Result<"chunks">> {
    return this.#caller.call("chunks", args);
  }

  /** As {@linkcode Engine.original}. */
  original(...args: Arguments<"original">): Promise<Result<"original">> {
    return this.#caller.call("original", args);
  }

  /** As {@linkcode Engine.get}. */
  get(...args: Arguments<"get">): Promise<Result<"get">> {
    return this.#caller.call("get", args);
  }

  /** As {@linkcode Engine.remove}. */
  remove(...args: Arguments<"remove">): Promise<Result<"remove">> {
    return this.#caller.call("remove", args);
  }

  /** As {@linkcode Engine.status}. */
  status(...args: Arguments<"status">): Promise<Result<"status">> {
    return this.#caller.call("status", args);
  }

  /** As {@linkcode Engine.compose}. */
  compose(...args: Arguments<"compose">): Promise<Result<"compose">> {
    return this.#caller.call("compose", args);
  }

  /** As {@linkcode Engine.recall}. */
  recall(...args: Arguments<"recall">): Promise<Result<"recall">> {
    return this.#caller.call("recall", args);
  }

  /** As {@linkcode Engine.noteHistory}. */
  noteHistory(
    ...args: Arguments<"noteHistory">
  ): Promise<Result<"noteHistory">> {
    return this.#caller.call("noteHistory", args);
  }

  /** As {@linkcode Engine.diffNote}. */
  diffNote(...args: Arguments<"diffNote">): Promise<Result<"diffNote">> {
    return this.#caller.call("diffNote", args);
  }

  /** As {@linkcode Engine.tag}. */
  tag(...args: Arguments<"tag">): Promise<Result<"tag">> {
    return this.#caller.call("tag", args);
  }

  /** As {@linkcode Engine.learn}. */
  learn(...args: Arguments<"learn">): Promise<Result<"learn">> {
    return this.#caller.call("learn", args);
  }

  /** As {@linkcode Engine.unlearn}. */
  unlearn(...args: Arguments<"unlearn">): Promise<Result<"unlearn">> {
    return this.#caller.call("unlearn", args);
  }

  /** As {@linkcode Engine.getSection}. */
  getSection(...args: Arguments<"getSection">): Promise<Result<"getSection">> {
    return this.#caller.call("getSection", args);
  }

  /** As {@linkcode Engine.listDocidsOf}. */
  listDocidsOf(
    ...args: Arguments<"listDocidsOf">
  ): Promise<Result<"listDocidsOf">> {
    return this.#caller.call("listDocidsOf", args);
  }

  /** As {@linkcode Engine.getDocument}. */
  getDocument(
    ...args: Arguments<"getDocument">
  ): Promise<Result<"getDocument">> {
    return this.#caller.call("getDocument", args);
  }

  /** As {@linkcode Engine.learnSkill}. */
  learnSkill(...args: Arguments<"learnSkill">): Promise<Result<"learnSkill">> {
    return this.#caller.call("learnSkill", args);
  }

  /** As {@linkcode Engine.listSkills}. */
  listSkills(...args: Arguments<"listSkills">): Promise<Result<"listSkills">> {
    return this.#caller.call("listSkills", args);
  }

  /** As {@linkcode Engine.getSkill}. */
  getSkill(...args: Arguments<"getSkill">): Promise<Result<"getSkill">> {
    return this.#caller.call("getSkill", args);
  }

  /** As {@linkcode Engine.removeSkill}. */
  removeSkill(
    ...args: Arguments<"removeSkill">
  ): Promise<Result<"removeSkill">> {
    return this.#caller.call("removeSkill", args);
  }

  /** As {@linkcode Engine.createAgent}. */
  createAgent(
    ...args: Arguments<"createAgent">
  ): Promise<Result<"createAgent">> {
    return this.#caller.call("createAgent", args);
  }

  /** As {@linkcode Engine.listAgents}. */
  listAgents(...args: Arguments<"listAgents">): Promise<Result<"listAgents">> {
    return this.#caller.call("listAgents", args);
  }

  /** As {@linkcode Engine.getAgent}. */
  getAgent(...args: Arguments<"getAgent">): Promise<Result<"getAgent">> {
    return this.#caller.call("getAgent", args);
  }

  /** As {@linkcode Engine.removeAgent}. */
  removeAgent(
    ...args: Arguments<"removeAgent">
  ): Promise<Result<"removeAgent">> {
    return this.#caller.call("removeAgent", args);
  }

  /** As {@linkcode Engine.gc}. */
  gc(...args: Arguments<"gc">): Promise<Result<"gc">> {
    return this.#caller.call("gc", args);
  }

  /** As {@linkcode Engine.changeMark}. */
  changeMark(...args: Arguments<"changeMark">): Promise<Result<"changeMark">> {
    return this.#caller.call("changeMark", args);
  }

  /** As {@linkcode Engine.versionOf}. */
  versionOf(...args: Arguments<"versionOf">): Promise<Result<"versionOf">> {
    return this.#caller.call("versionOf", args);
  }

  /** As {@linkcode Engine.catalogVersions}. */
  catalogVersions(
    ...args: Arguments<"catalogVersions">
  ): Promise<Result<"catalogVersions">> {
    return this.#caller.call("catalogVersions", args);
  }

  /** As {@linkcode Engine.findIds}. */
  findIds(...args: Arguments<"findIds">): Promise<Result<"findIds">> {
    return this.#caller.call("findIds", args);
  }

  /**
   * Asks whether the engine lives, whatever its version.
   *
   * @throws {KbError} `unreachable` if it does not; `cancelled` if it takes longer than `signal` waits.
   */
  ping(signal: AbortSignal): Promise<void> {
    return this.#caller.ping(signal);
  }

  /** Closes the connection; the engine goes on. */
  close(): Promise<void> {
    this.#caller.close();
    return Promise.resolve();
  }

  /** Same as {@linkcode RemoteEngine.close}. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** Parts what is sent from what stays here. */
function split<T extends CallOptions>(
  { signal, onProgress, ...sent }: T,
): [Omit<T, "signal" | "onProgress">, CallOptions] {
  return [sent, { signal, onProgress }];
}
