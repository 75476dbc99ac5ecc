/**
 * Every bound of kbdb in one place: queues, batches, bodies, pages and texts.
 *
 * A name ends in its unit. Raising a number here is a decision about memory or time.
 */
export const LIMITS = {
  /** Largest file that is read for indexing, in bytes. Larger ones end as `too_large`. */
  fileBytes: 64 * 1024 * 1024,
  /** Longest section of an added file, in UTF-16 units; longer ones are cut into several. */
  sectionChars: 256 * 1024,
  /** Longest note or learned text, in UTF-16 units. */
  noteChars: 1024 * 1024,
  /** Largest learned image, in bytes. */
  imageBytes: 7 * 1024 * 1024,
  /** Longest description of a section, skill or agent, in UTF-16 units. */
  descriptionChars: 10_000,
  /** Longest docid, in UTF-16 units. */
  docidChars: 200,
  /** Most skills of one agent. */
  agentSkills: 200,
  /** Most arguments of one skill. */
  skillArguments: 64,
  /** Most faults one check lists. */
  checkErrors: 1_000,
  /** Longest title, in UTF-16 units. */
  titleChars: 500,
  /** Longest tag or collection name, in UTF-16 units. */
  tagChars: 200,
  /** Most tags on one document. */
  documentTags: 200,
  /** Longest query, in UTF-16 units. */
  queryChars: 10_000,
  /** Most query terms that are searched for; further ones are dropped and said so. */
  queryTerms: 64,
  /** Most words and phrases one query is turned into for the word index. */
  queryPhrases: 256,
  /** Longest snippet, in UTF-16 units. */
  snippetChars: 2_000,
  /** Most hits in one answer. */
  hits: 100,
  /** Deepest offset into a ranking. */
  hitOffset: 1_000,
  /** Most texts in one call to the embedder. */
  embedTexts: 64,
  /** About the longest answer of a tool, in UTF-16 units of JSON. */
  answerChars: 20_000,
  /** Longest text of a resource, in UTF-16 units. */
  resourceChars: 4 * 1024 * 1024,
  /** Longest message of an MCP client over stdio, in bytes. */
  messageBytes: 10 * 1024 * 1024,
  /** Most requests of one MCP client under way at once. */
  requestsUnderWay: 256,
  /** Most resources one MCP client is told about. */
  subscriptions: 1_024,
  /** Most values one completion offers. */
  completions: 100,
  /** Deepest folder nesting that `add` follows. */
  folderDepth: 64,
} as const;
