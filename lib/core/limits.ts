/**
 * Every bound of kbdb in one place: queues, batches, bodies, pages and texts.
 *
 * A name ends in its unit. Raising a number here is a decision about memory or time.
 */
export const LIMITS = {
  /** Largest file that is read for indexing, in bytes. Larger ones end as `too_large`. */
  fileBytes: 64 * 1024 * 1024,
  /** Longest time one file may take to be read and cut, in ms. */
  extractMs: 60_000,
  /** What is added to that for each MB of the file, in ms. */
  extractMsPerMb: 2_000,
  /** Heap of the thread that reads files, in MiB; what needs more ends as `too_large`. */
  extractHeapMb: 2_048,
  /** Most bytes that may come out of the compressed parts of one file. */
  inflatedBytes: 256 * 1024 * 1024,
  /** Most pages, slides or sheets of one document. */
  documentPages: 10_000,
  /** Most entries of one archive. */
  archiveEntries: 10_000,
  /** Deepest nesting of archives in archives. */
  archiveDepth: 3,
  /** How many times its packed bytes a file in an archive may have, from 1 MiB on. */
  archiveRatio: 250,
  /** Most elements of one XML part of a document that is held as a tree. */
  xmlElements: 5_000_000,
  /** Deepest nesting of elements and objects in one file. */
  nestingDepth: 256,
  /** Most text of one file, in UTF-16 units. */
  extractedChars: 128 * 1024 * 1024,
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
  /** Longest line of a JSONL file that is imported, in UTF-16 units. */
  archiveLineChars: 256 * 1024 * 1024,
  /** Most named keys of one base. */
  apiKeys: 1_000,
  /** Most skills of one agent. */
  agentSkills: 200,
  /** Most arguments of one skill. */
  skillArguments: 64,
  /** Largest upload, in bytes, unless the owner sets another limit. */
  uploadBytes: 512 * 1024 * 1024,
  /** Uploads in parts that one key may have under way. */
  uploads: 8,
  /** Bytes of one part of an upload by MCP. */
  uploadChunkBytes: 2 * 1024 * 1024,
  /** Earlier texts kept of one note. */
  noteVersions: 100,
  /** Arguments of one call of an engine by its client, as JSON, in bytes. */
  engineCallBytes: 32 * 1024 * 1024,
  /** One line of an engine's answer to its client, in UTF-16 units. */
  engineLineChars: 256 * 1024 * 1024,
  /** Calls that one client has under way at once; further ones wait. */
  engineCalls: 8,
  /** Most jobs in one page. */
  jobs: 1_000,
  /** Most jobs that wait at once. */
  jobsQueued: 100_000,
  /** Times a job is tried before it has failed. */
  jobTries: 3,
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
  /** Length of an answer unless another is asked for, in UTF-16 units. */
  answerChars: 20_000,
  /** Longest answer that can be asked for, in UTF-16 units. */
  answerCharsMax: 1_000_000,
  /** Most documents and sections composed into one text. */
  composeIds: 1_000,
  /** Deepest nesting of embedded texts; deeper ones stay links. */
  embedDepth: 16,
  /** Largest image written into a composed text as a data URI, in bytes; larger ones are linked. */
  inlineImageBytes: 4_096,
  /** Most sections recalled in one call. */
  recallIds: 100,
  /** Most documents of one section an answer names. */
  recallDocuments: 20,
  /** Most references, and most back-references, of one section in an answer. */
  references: 200,
  /** Most stored links looked at for the back-references of one section, for each way to name it. */
  linkCandidates: 2_000,
  /** Most documents compared when a link's name stands for several. */
  nameCandidates: 50,
  /** Most anchors kept in memory while links are resolved. */
  cachedAnchors: 200_000,
} as const;
