import { z } from "zod";
import type { SectionId } from "../../core/mod.ts";

const text = z.string();
const texts = z.array(text);
const count = z.number();
const flag = z.boolean();

/** No arguments. */
export const none = z.tuple([]);
/** One text: an id, a path, a name. */
export const oneText = z.tuple([text]);
/** An integer id. */
export const oneId = z.tuple([z.int()]);
/** Rowid of a section. */
export const sectionId = z.custom<SectionId>(
  (value) => Number.isSafeInteger(value),
  "must be a whole number",
);

const labels = {
  tags: texts.exactOptional(),
  collection: text.exactOptional(),
};
const filter = {
  ...labels,
  docType: text.exactOptional(),
  after: text.exactOptional(),
  before: text.exactOptional(),
  sourcePath: text.exactOptional(),
  folder: text.exactOptional(),
  metadata: z.record(text, text).exactOptional(),
};
const page = { limit: count.exactOptional(), offset: count.exactOptional() };

/** Options of `searchStats`. */
export const filterOptions = z.strictObject(filter);

/** Options of `search`. */
export const searchOptions = z.strictObject({
  ...filter,
  ...page,
  retriever: z.enum(["hybrid", "fts", "vector"]).exactOptional(),
  groupBy: z.enum(["section", "document"]).exactOptional(),
  threshold: count.exactOptional(),
  explain: flag.exactOptional(),
  snippetChars: count.exactOptional(),
  vectorWeight: count.exactOptional(),
});

/** Options of `list`. */
export const listOptions = z.strictObject({
  ...filter,
  ...page,
  sort: z.enum(["recent", "title", "path"]).exactOptional(),
});

const addFields = {
  ...labels,
  takesArchives: flag.exactOptional(),
  include: texts.exactOptional(),
  exclude: texts.exactOptional(),
  ignoreFiles: flag.exactOptional(),
};

/** Options of `add`. */
export const addOptions = z.strictObject(addFields);

/** Options of `sync`. */
export const syncOptions = z.strictObject({
  ...addFields,
  dryRun: flag.exactOptional(),
});

/** Options of `importFrom`. */
export const importOptions = z.strictObject({
  collection: labels.collection,
  overwrite: flag.exactOptional(),
});

/** Options of `addNote` and of jobs. */
export const submitOptions = z.strictObject({
  ...labels,
  title: text.exactOptional(),
});

/** Options of `addNote`. */
export const noteOptions = submitOptions.extend({
  docid: text.exactOptional(),
});

/** Options of `learn`. */
export const learnOptions = noteOptions.extend({
  type: text.exactOptional(),
  description: text.exactOptional(),
});

/** Options of `updateNote`. */
export const updateOptions = z.strictObject({ title: text.exactOptional() });

/** Options of work that takes none. */
export const noOptions = z.strictObject({});

/** Options of `compose`. */
export const composeOptions = z.strictObject({
  maxChars: count.exactOptional(),
  offset: count.exactOptional(),
});

/** Options of `recall`. */
export const recallOptions = composeOptions.extend({
  depth: count.exactOptional(),
});

/** A skill. */
export const skillInput = z.strictObject({
  name: text,
  description: text,
  body: text,
  arguments: z.array(z.strictObject({
    name: text,
    description: text.exactOptional(),
    required: flag.exactOptional(),
  })).exactOptional(),
});

/** An agent. */
export const agentInput = z.strictObject({
  name: text,
  description: text,
  persona: text,
  skills: texts,
});

/** A text, or bytes. */
export const content = z.union([text, z.instanceof(Uint8Array)]);

/** A section or a document. */
export const versionRef = z.union([
  z.strictObject({ kbid: text }),
  z.strictObject({ docid: text }),
]);

/** A file that was received. */
export const receivedFile = z.strictObject({
  sha256: text.regex(/^[0-9a-f]{64}$/),
  sizeBytes: z.int().min(0),
});

export { count, flag, text, texts };
