import { resolve } from "node:path";
import { KbError } from "../../core/mod.ts";
import type { Engine, SyncRoot } from "../../kb/mod.ts";
import { confirm } from "../confirm.ts";
import { formatItems, formatPath } from "../format.ts";
import { type CliIo, type GlobalOptions, writeJson } from "../io.ts";
import { formatAge } from "../output/age.ts";
import { writeListing } from "../output/write.ts";
import { findEngineUrl } from "../remote.ts";
import { openForReading, openForWriting } from "../session.ts";
import { type RuleFlags, takeIn, toRules, withProgress } from "./taking_in.ts";

/** Options of `kbdb sync`. */
export interface SyncCommandOptions extends GlobalOptions, RuleFlags {
  /** Says what would be done, and does nothing. */
  readonly dryRun?: true;
  /** `false` leaves vectors for later. */
  readonly embed: boolean;
}

/** Options of `kbdb sync forget`. */
export interface ForgetOptions extends GlobalOptions {
  /** Also removes the documents from there. */
  readonly documents?: true;
  /** Asks nothing. */
  readonly yes?: true;
}

/** Makes the base hold what folders hold; all that were synced before, if none is named. */
export async function sync(
  io: CliIo,
  folders: readonly string[],
  options: SyncCommandOptions,
): Promise<number> {
  const open = options.dryRun === true ? openForReading : openForWriting;
  await using kb = await open(io, options, {
    model: options.embed && options.dryRun !== true,
  });
  if (folders.length === 0) await refuseUnnamed(io, options);
  const paths = await chooseFolders(io, kb, folders);
  const rules = toRules(options);
  const dryRun = options.dryRun === true;
  if (dryRun && options.format === "text") {
    io.err.write("Nothing is changed; this is what would be:\n");
  }
  return await takeIn(io, kb, paths, {
    ...options,
    embed: options.embed && !dryRun,
    mayLeaveOutAll: true,
    take: (path) =>
      withProgress(
        io,
        (watching) => kb.sync(path, { ...rules, dryRun, ...watching }),
      ),
  });
}

/**
 * Has folders named where the base is elsewhere, as it remembers those of its own machine.
 *
 * @throws {KbError} `invalid_input` if it is.
 */
async function refuseUnnamed(
  io: CliIo,
  options: GlobalOptions,
): Promise<void> {
  const url = await findEngineUrl(io, options);
  if (url === undefined) return;
  throw new KbError(
    "invalid_input",
    `Name the folder to sync with the engine at ${url.value}: kbdb sync FOLDER; it remembers folders of its own machine only`,
  );
}

/**
 * The folders that are named, else those that were synced before.
 *
 * @throws {KbError} `invalid_input` if there are neither.
 */
export async function chooseFolders(
  io: CliIo,
  kb: Engine,
  folders: readonly string[],
): Promise<readonly string[]> {
  if (folders.length > 0) return folders.map((each) => resolve(io.cwd, each));
  const roots = await kb.listRoots();
  if (roots.length > 0) return roots.map(({ path }) => path);
  throw new KbError(
    "invalid_input",
    "No folder was synced yet; name one: kbdb sync FOLDER",
  );
}

/** Lists the folders that were synced, and how. */
export async function list(
  io: CliIo,
  options: GlobalOptions,
): Promise<number> {
  await using kb = await openForReading(io, options);
  await writeListing(io, options, {
    rows: await kb.listRoots(),
    columns: [
      {
        name: "path",
        value: ({ path }) => path,
        text: ({ path }) => formatPath(path, io.cwd),
      },
      {
        name: "collection",
        value: (root) => root.options.collection ?? "documents",
      },
      { name: "options", value: describeOptions },
      {
        name: "synced",
        value: ({ syncedAt }) => syncedAt,
        text: ({ syncedAt }, { nowMs }) => formatAge(syncedAt, nowMs),
      },
    ],
    empty: "No folder was synced yet",
  });
  return 0;
}

/** The flags that a folder is synced with. */
function describeOptions({ options }: SyncRoot): string {
  const { tags = [], include = [], exclude = [] } = options;
  return [
    ...tags.map((tag) => `--tag ${tag}`),
    ...include.map((pattern) => `--include ${pattern}`),
    ...exclude.map((pattern) => `--exclude ${pattern}`),
    ...(options.ignoreFiles === false ? ["--no-ignore"] : []),
    ...(options.takesArchives === true ? ["--archives"] : []),
  ].join(" ");
}

/** Forgets a folder, and removes its documents if asked to. */
export async function forget(
  io: CliIo,
  folder: string,
  options: ForgetOptions,
): Promise<number> {
  await using kb = await openForReading(io, options);
  const path = resolve(io.cwd, folder);
  if (options.documents === true) {
    await confirm(
      io,
      `Remove every document from ${formatPath(path, io.cwd)}?`,
      options.yes,
    );
  }
  await kb.forgetRoot(path);
  const removed = options.documents === true ? await kb.remove(path) : [];
  if (options.format === "json") writeJson(io, { path, removed });
  else {
    io.out.write(
      `Forgot ${formatPath(path, io.cwd)}; ${
        options.documents === true
          ? `removed ${formatItems(removed.length, "document")}`
          : "its documents stay"
      }\n`,
    );
  }
  return 0;
}
