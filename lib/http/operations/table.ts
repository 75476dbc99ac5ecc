import { z } from "zod";
import type { OperationName } from "../../wire/mod.ts";
import { JOB_OPERATIONS } from "./jobs.ts";
import { ofOwner, operation, type OperationTable } from "./operation.ts";
import { SECTION_OPERATIONS } from "./sections.ts";
import * as of from "./schemas.ts";

/** Every operation of the facade: the one place that says what of it can be called over HTTP, and by whom. */
export const OPERATIONS: OperationTable<OperationName> = {
  ...SECTION_OPERATIONS,
  ...JOB_OPERATIONS,
  add: ofOwner(operation(
    "add",
    "write",
    z.tuple([of.text, of.addOptions.exactOptional()]),
    (kb, [path, options], { long }) => kb.add(path, { ...options, ...long }),
  )),
  sync: ofOwner(operation(
    "sync",
    "write",
    z.tuple([of.text, of.syncOptions.exactOptional()]),
    (kb, [path, options], { long }) => kb.sync(path, { ...options, ...long }),
  )),
  listRoots: operation("listRoots", "read", of.none, (kb) => kb.listRoots()),
  forgetRoot: ofOwner(operation(
    "forgetRoot",
    "write",
    of.oneText,
    (kb, args) => kb.forgetRoot(...args),
  )),
  importFrom: ofOwner(operation(
    "importFrom",
    "write",
    z.tuple([of.text, of.importOptions.exactOptional()]),
    (kb, [path, options], { long }) =>
      kb.importFrom(path, { ...options, signal: long.signal }),
  )),
  addNote: operation(
    "addNote",
    "write",
    z.tuple([of.text, of.noteOptions.exactOptional()]),
    (kb, args) => kb.addNote(...args),
  ),
  embed: operation(
    "embed",
    "write",
    z.tuple([of.noOptions.exactOptional()]),
    (kb, _, { long }) => kb.embed(long),
  ),
  reindex: operation(
    "reindex",
    "admin",
    z.tuple([of.noOptions.exactOptional()]),
    (kb, _, { long }) => kb.reindex(long),
  ),
  search: operation(
    "search",
    "read",
    z.tuple([of.text, of.searchOptions.exactOptional()]),
    (kb, [query, options], { signal }) =>
      kb.search(query, { ...options, signal }),
  ),
  searchStats: operation(
    "searchStats",
    "read",
    z.tuple([of.text, of.filterOptions.exactOptional()]),
    (kb, args) => kb.searchStats(...args),
  ),
  list: operation(
    "list",
    "read",
    z.tuple([of.listOptions.exactOptional()]),
    (kb, args) => kb.list(...args),
  ),
  listTags: operation("listTags", "read", of.none, (kb) => kb.listTags()),
  listCollections: operation(
    "listCollections",
    "read",
    of.none,
    (kb) => kb.listCollections(),
  ),
  renameCollection: operation(
    "renameCollection",
    "write",
    z.tuple([
      of.text,
      of.text,
      z.strictObject({ merge: of.flag.exactOptional() }).exactOptional(),
    ]),
    (kb, args) => kb.renameCollection(...args),
  ),
  removeCollection: operation(
    "removeCollection",
    "write",
    of.oneText,
    (kb, args) => kb.removeCollection(...args),
  ),
  summary: operation(
    "summary",
    "read",
    of.oneText,
    (kb, args) => kb.summary(...args),
  ),
  info: operation("info", "read", of.oneText, (kb, args) => kb.info(...args)),
  chunks: operation(
    "chunks",
    "read",
    of.oneText,
    (kb, args) => kb.chunks(...args),
  ),
  original: operation(
    "original",
    "read",
    of.oneText,
    (kb, args) => kb.original(...args),
  ),
  get: operation("get", "read", of.oneText, (kb, args) => kb.get(...args)),
  remove: operation(
    "remove",
    "write",
    of.oneText,
    (kb, args) => kb.remove(...args),
  ),
  status: operation("status", "read", of.none, (kb) => kb.status()),
  compose: operation(
    "compose",
    "read",
    z.tuple([of.texts, of.composeOptions.exactOptional()]),
    (kb, args) => kb.compose(...args),
  ),
  recall: operation(
    "recall",
    "read",
    z.tuple([of.texts, of.recallOptions.exactOptional()]),
    (kb, args) => kb.recall(...args),
  ),
  updateNote: operation(
    "updateNote",
    "write",
    z.tuple([of.text, of.text, of.updateOptions.exactOptional()]),
    (kb, [ref, text, options], { signal }) =>
      kb.updateNote(ref, text, { ...options, signal }),
  ),
  noteHistory: operation(
    "noteHistory",
    "read",
    of.oneText,
    (kb, args) => kb.noteHistory(...args),
  ),
  diffNote: operation(
    "diffNote",
    "read",
    z.tuple([
      of.text,
      z.strictObject({ from: z.int(), to: z.int().exactOptional() }),
    ]),
    (kb, args) => kb.diffNote(...args),
  ),
  restoreNote: operation(
    "restoreNote",
    "write",
    z.tuple([of.text, z.int(), of.noOptions.exactOptional()]),
    (kb, [ref, version], { signal }) =>
      kb.restoreNote(ref, version, { signal }),
  ),
  tag: operation(
    "tag",
    "write",
    z.tuple([
      of.text,
      z.strictObject({
        add: of.texts.exactOptional(),
        remove: of.texts.exactOptional(),
      }),
    ]),
    (kb, args) => kb.tag(...args),
  ),
};
