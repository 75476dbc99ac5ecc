import { resolve } from "node:path";
import { KbError, splitLabels } from "../core/mod.ts";
import type { DocumentFilter, Engine } from "../kb/mod.ts";
import type { CliIo } from "./io.ts";

/** Options of commands that restrict documents. */
export interface FilterOptions {
  /** Tags a document must have. */
  readonly tag?: readonly string[];
  /** Type a document must have. */
  readonly type?: string;
  /** Collection a document must be in. */
  readonly collection?: string;
  /** Changed at or after, `YYYY-MM-DD`. */
  readonly after?: string;
  /** Changed before, `YYYY-MM-DD`. */
  readonly before?: string;
  /** File a document was made of. */
  readonly path?: string;
  /** Values its metadata must have, each `KEY=VALUE`. */
  readonly meta?: readonly string[];
}

/**
 * The filter those options mean, with the path as the base knows it.
 *
 * @throws {KbError} `invalid_input` if a value of metadata has no `=`.
 */
export async function readFilter(
  io: CliIo,
  kb: Engine,
  options: FilterOptions,
): Promise<DocumentFilter> {
  const filter = toFilter(options);
  const { path } = options;
  if (path === undefined) return filter;
  const full = resolve(io.cwd, path);
  // What was uploaded or piped in has its path as it was written.
  const known = await findPath(kb, full) ?? await findPath(kb, path);
  return { ...filter, sourcePath: known ?? full };
}

/** Path of the document that a path names, as the base has it. */
async function findPath(kb: Engine, ref: string): Promise<string | undefined> {
  try {
    return (await kb.summary(ref)).path ?? undefined;
  } catch (error) {
    if (!(error instanceof KbError)) throw error;
    if (error.code === "not_found") return undefined;
    // Several have it, and a filter may mean them all.
    if (error.code === "conflict") return ref;
    throw error;
  }
}

function toFilter(
  { tag, type, collection, after, before, meta }: FilterOptions,
): DocumentFilter {
  return {
    ...(tag === undefined ? {} : { tags: tag }),
    ...(type === undefined ? {} : { docType: type }),
    ...(collection === undefined ? {} : { collection }),
    ...(after === undefined ? {} : { after }),
    ...(before === undefined ? {} : { before }),
    ...(meta === undefined
      ? {}
      : { metadata: Object.fromEntries(meta.map(toPair)) }),
  };
}

/** Parts `KEY=VALUE`. */
export function toPair(text: string): [key: string, value: string] {
  const at = text.indexOf("=");
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new KbError("invalid_input", `"${text}" is not KEY=VALUE`);
}

/** Options that label what is added. */
export interface LabelOptions {
  /** Tags; `collection:NAME` among them is the collection. */
  readonly tag?: readonly string[];
  /** Collection. */
  readonly collection?: string;
}

/**
 * The tags and the collection those options mean.
 *
 * @throws {KbError} `invalid_input` if they name two collections.
 */
export function toLabels(
  { tag = [], collection }: LabelOptions,
): { tags?: readonly string[]; collection?: string } {
  const labels = splitLabels(tag, collection);
  return {
    ...(labels.tags.length === 0 ? {} : { tags: labels.tags }),
    ...(labels.collection === undefined
      ? {}
      : { collection: labels.collection }),
  };
}
