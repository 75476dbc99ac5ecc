import { toKbid } from "../../lib/core/mod.ts";
import {
  byCli,
  byClient,
  byFacade,
  byMcp,
  byRest,
  type Json,
  type Row,
} from "./front_ends.ts";

const NO_ROUTE = "REST is about documents; sections are read only";
const NO_TAG_TOOL = "no tool changes or lists tags, as specified";
const NO_REMOVING_TOOL = "tools remove sections, skills and agents only";
const NO_HISTORY_TOOL = "no tool shows what a note said before";
const AS_JOBS = "REST and tools take in notes as jobs, whose end says so";

const VALVE: string = toKbid("The valve sticks in winter.");
const LONG_TAG = "x".repeat(300);

function sorted(values: readonly unknown[]): string[] {
  return values.map(String).sort();
}

const ROWS: readonly Row[] = [
  {
    rule: "a search finds a note by a word of it",
    engine: async (kb) =>
      (await kb.search("boiler", { retriever: "fts" })).hits
        .map(({ documentTitle }) => documentTitle),
    rest: async ({ call }) =>
      (await call("POST", "/api/v1/search", {
        json: { query: "boiler", fts_only: true },
      })).json.results.map(({ title }: Json) => title),
    mcp: [
      "kb_search",
      { query: "boiler", fts_only: true },
      ({ results }) => results.map(({ title }: Json) => title),
    ],
    cli: [
      ["search", "--fts-only", "boiler"],
      ({ hits }) => hits.map(({ documentTitle }: Json) => documentTitle),
    ],
    expected: { value: ["Keys"] },
  },
  {
    rule: "a search keeps to a collection",
    engine: async (kb) =>
      (await kb.search("friday", { retriever: "fts", collection: "memory" }))
        .total,
    rest: async ({ call }) =>
      (await call("POST", "/api/v1/search", {
        json: { query: "friday", fts_only: true, collection: "memory" },
      })).json.total,
    mcp: [
      "search",
      { query: "friday", collection: "memory" },
      ({ total }) => total,
    ],
    cli: [
      ["search", "--fts-only", "--collection", "memory", "friday"],
      ({ total }) => total,
    ],
    expected: { value: 1 },
  },
  {
    rule: "a search that finds nothing answers an empty list",
    engine: async (kb) =>
      (await kb.search("zeppelin", { retriever: "fts" })).hits,
    rest: async ({ call }) =>
      (await call("POST", "/api/v1/search", {
        json: { query: "zeppelin", fts_only: true },
      })).json.results,
    mcp: [
      "kb_search",
      { query: "zeppelin", fts_only: true },
      ({ results }) => results,
    ],
    cli: [["search", "--fts-only", "zeppelin"], ({ hits }) => hits],
    expected: { value: [] },
  },
  {
    rule: "a search with a date that is none is refused",
    engine: (kb) => kb.search("after:never key", { retriever: "fts" }),
    rest: ({ call }) =>
      call("POST", "/api/v1/search", {
        json: { query: "after:never key", fts_only: true },
      }),
    mcp: ["kb_search", { query: "after:never key", fts_only: true }],
    cli: [["search", "--fts-only", "after:never key"]],
    expected: { fails: "invalid_query" },
  },
  {
    rule: "a search by meaning says if there are no vectors yet",
    engine: async (kb) => (await kb.search("boiler")).degraded,
    rest: async ({ call }) =>
      (await call("POST", "/api/v1/search", { json: { query: "boiler" } }))
        .json.degraded,
    mcp: ["search", { query: "boiler" }, ({ degraded }) => degraded],
    cli: "the command has no model in this test, and says that instead",
    expected: { value: ["vectors_pending"] },
  },
  {
    rule: "what words stand for is counted",
    engine: async (kb) => (await kb.searchStats("boiler")).terms[0]?.chunks,
    rest: "REST has no counts by word",
    mcp: [
      "search",
      { query: "boiler", mode: "stats" },
      ({ terms }) => terms[0].chunks,
    ],
    cli: [["search", "--stats", "boiler"], ({ terms }) => terms[0].chunks],
    expected: { value: 1 },
  },
  {
    rule: "all documents are listed",
    engine: async (kb) =>
      sorted((await kb.list()).documents.map(({ docid }) => docid)),
    rest: async ({ call }) =>
      sorted((await call("GET", "/api/v1/documents")).json
        .map(({ docid }: Json) => docid)),
    mcp: "tools find documents by search, as specified",
    cli: [
      ["list"],
      ({ documents }) => sorted(documents.map(({ docid }: Json) => docid)),
    ],
    expected: { value: ["keys", "manual", "meeting"] },
  },
  {
    rule: "documents are listed by collection",
    engine: async (kb) => (await kb.list({ collection: "memory" })).total,
    rest: async ({ call }) =>
      (await call("GET", "/api/v1/documents?collection=memory")).json.length,
    mcp: "tools find documents by search, as specified",
    cli: [["list", "--collection", "memory"], ({ total }) => total],
    expected: { value: 1 },
  },
  {
    rule: "a document is got by its id",
    engine: async (kb) => {
      const { title, tags } = await kb.summary("1");
      return [title, tags];
    },
    rest: async ({ call }) => {
      const { title, tags } = (await call("GET", "/api/v1/documents/1")).json;
      return [
        title,
        tags.filter((tag: string) => !tag.startsWith("collection:")),
      ];
    },
    mcp: ["kb_get", { document_id: 1 }, ({ title, tags }) => [title, tags]],
    cli: [["info", "1"], ({ title, tags }) => [title, tags]],
    expected: { value: ["Keys", ["home"]] },
  },
  {
    rule: "a document that is not there is not found",
    engine: (kb) => kb.info("99"),
    rest: ({ call }) => call("GET", "/api/v1/documents/99"),
    mcp: ["kb_get", { document_id: 99 }],
    cli: [["info", "99"]],
    expected: { fails: "not_found" },
  },
  {
    rule: "a note that is added is found by its words",
    engine: async (kb) => {
      await kb.addNote("The ladder leans on the shed.");
      return (await kb.search("ladder", { retriever: "fts" })).total;
    },
    rest: async ({ call, ingest }) => {
      await ingest({ note: "The ladder leans on the shed." });
      return (await call("POST", "/api/v1/search", {
        json: { query: "ladder", fts_only: true },
      })).json.total;
    },
    mcp: ["learn", { content: "The ladder leans on the shed." }, (
      { created },
    ) => Number(created)],
    cli: [
      ["addnote", "--no-embed", "The ladder leans on the shed."],
      ({ state }) => Number(state === "indexed"),
    ],
    expected: { value: 1 },
  },
  {
    rule: "a blank note is refused",
    engine: (kb) => kb.addNote("  "),
    rest: ({ call }) => call("POST", "/api/v1/jobs", { json: { note: "  " } }),
    mcp: ["kb_addnote", { text: "  " }],
    cli: [["addnote", "--no-embed", "  "]],
    expected: { fails: "invalid_input" },
  },
  {
    rule: "a tag that is too long is refused",
    engine: (kb) => kb.addNote("a text", { tags: [LONG_TAG] }),
    rest: ({ call }) =>
      call("POST", "/api/v1/jobs", {
        json: { note: "a text", tags: [LONG_TAG] },
      }),
    mcp: ["kb_addnote", { text: "a text", tags: [LONG_TAG] }],
    cli: [["addnote", "--no-embed", "--tag", LONG_TAG, "a text"]],
    expected: { fails: "invalid_input" },
  },
  {
    rule: "a docid that is taken is a conflict",
    engine: (kb) => kb.addNote("another text", { docid: "keys" }),
    rest: AS_JOBS,
    mcp: AS_JOBS,
    cli: [["addnote", "--no-embed", "--docid", "keys", "another text"]],
    expected: { fails: "conflict" },
  },
  {
    rule: "a note is updated in place",
    engine: async (kb) => {
      const { document, changed } = await kb.updateNote("1", "The key moved.");
      return [document.id, changed];
    },
    rest: async ({ call }) => {
      const { id, changed } = (await call("PATCH", "/api/v1/notes/1", {
        json: { text: "The key moved." },
      })).json;
      return [id, changed];
    },
    mcp: [
      "kb_update_note",
      { document_id: 1, text: "The key moved." },
      ({ id, changed }) => [id, changed],
    ],
    cli: [["updatenote", "1", "The key moved."], ({ document, changed }) => [
      document.id,
      changed,
    ]],
    expected: { value: [1, true] },
  },
  {
    rule: "only notes are updated",
    engine: (kb) => kb.updateNote("3", "a text"),
    rest: ({ call }) =>
      call("PATCH", "/api/v1/notes/3", { json: { text: "a text" } }),
    mcp: ["kb_update_note", { document_id: 3, text: "a text" }],
    cli: [["updatenote", "3", "a text"]],
    expected: { fails: "invalid_input", status: 422 },
  },
  {
    rule: "a note that is not there cannot be updated",
    engine: (kb) => kb.updateNote("99", "a text"),
    rest: ({ call }) =>
      call("PATCH", "/api/v1/notes/99", { json: { text: "a text" } }),
    mcp: ["kb_update_note", { document_id: 99, text: "a text" }],
    cli: [["updatenote", "99", "a text"]],
    expected: { fails: "not_found" },
  },
  {
    rule: "what a note said before is kept",
    engine: async (kb) =>
      (await kb.noteHistory("2")).map(({ content }) => content),
    rest: async ({ call }) =>
      (await call("GET", "/api/v1/notes/2/history")).json
        .map(({ content }: Json) => content),
    mcp: NO_HISTORY_TOOL,
    cli: [
      ["history", "2"],
      (versions) => versions.map(({ content }: Json) => content),
    ],
    expected: { value: ["The meeting moved to Tuesday."] },
  },
  {
    rule: "two texts of a note are compared",
    engine: async (kb) =>
      /-.*Tuesday[^]*\+.*Friday/.test(await kb.diffNote("2", { from: 1 })),
    rest: async ({ call }) =>
      /-.*Tuesday[^]*\+.*Friday/.test(
        (await call("GET", "/api/v1/notes/2/diff?from=1")).json.diff,
      ),
    mcp: NO_HISTORY_TOOL,
    cli: [
      ["history", "2", "--diff", "1"],
      ({ diff }) => /-.*Tuesday[^]*\+.*Friday/.test(diff),
    ],
    expected: { value: true },
  },
  {
    rule: "a note is given a text it had before",
    engine: async (kb) => {
      await kb.restoreNote("2", 1);
      return (await kb.get("2")).text.includes("Tuesday");
    },
    rest: async ({ call }) => {
      await call("POST", "/api/v1/notes/2/restore", { json: { version: 1 } });
      const { chunks } = (await call("GET", "/api/v1/documents/2")).json;
      return chunks[0].text.includes("Tuesday");
    },
    mcp: NO_HISTORY_TOOL,
    cli: [
      ["history", "2", "--restore", "1"],
      ({ changed }) => changed,
    ],
    expected: { value: true },
  },
  {
    rule: "a version that is not there is not found",
    engine: (kb) => kb.restoreNote("2", 7),
    rest: ({ call }) =>
      call("POST", "/api/v1/notes/2/restore", { json: { version: 7 } }),
    mcp: NO_HISTORY_TOOL,
    cli: [["history", "2", "--restore", "7"]],
    expected: { fails: "not_found" },
  },
  {
    rule: "tags of a document change in place",
    engine: async (kb) =>
      (await kb.tag("1", { add: ["cellar"], remove: ["home"] })).tags,
    rest: async ({ call }) =>
      (await call("PUT", "/api/v1/documents/1/tags", {
        json: { add: ["cellar"], remove: ["home"] },
      })).json.tags.filter((tag: string) => !tag.startsWith("collection:")),
    mcp: NO_TAG_TOOL,
    cli: [
      ["tag", "1", "--add", "cellar", "--remove", "home"],
      ([{ tags }]) => tags,
    ],
    expected: { value: ["cellar"] },
  },
  {
    rule: "tags are listed with their documents",
    engine: async (kb) =>
      (await kb.listTags()).filter(({ name }) => name === "home")
        .map(({ documents }) => documents),
    rest: async ({ call }) =>
      (await call("GET", "/api/v1/tags")).json
        .filter(({ name }: Json) => name === "home")
        .map(({ documents }: Json) => documents),
    mcp: NO_TAG_TOOL,
    cli: [["tags"], (tags) =>
      tags.filter(({ name }: Json) => name === "home")
        .map(({ documents }: Json) => documents)],
    expected: { value: [1] },
  },
  {
    rule: "a document is removed",
    engine: async (kb) => {
      await kb.remove("1");
      return (await kb.list()).total;
    },
    rest: async ({ call }) => {
      await call("DELETE", "/api/v1/documents/1");
      return (await call("GET", "/api/v1/documents")).json.length;
    },
    mcp: NO_REMOVING_TOOL,
    cli: [["rm", "1"], ({ removed }) => 3 - removed.length],
    expected: { value: 2 },
  },
  {
    rule: "a document that is not there cannot be removed",
    engine: (kb) => kb.remove("99"),
    rest: ({ call }) => call("DELETE", "/api/v1/documents/99"),
    mcp: NO_REMOVING_TOOL,
    cli: [["rm", "99"]],
    expected: { fails: "not_found" },
  },
  {
    rule: "the status counts documents",
    engine: async (kb) => (await kb.status()).documents,
    rest: async ({ call }) =>
      (await call("GET", "/api/v1/status")).json.documents.total,
    mcp: ["status", {}, ({ documents }) => documents],
    cli: [["status"], ({ documents }) => documents],
    expected: { value: 3 },
  },
  {
    rule: "a section is got by its kbid",
    engine: async (kb) => (await kb.getSection(VALVE)).content,
    rest: async ({ call }) =>
      (await call("GET", `/api/v1/sections/${VALVE}`)).json.content,
    mcp: ["retrieve", { kbid: VALVE }, ([{ content }]) => content],
    cli: [["get", VALVE], ({ text }) => text],
    expected: { value: "The valve sticks in winter." },
  },
  {
    rule: "a section that is not there is not found",
    engine: (kb) => kb.getSection("0".repeat(26)),
    rest: ({ call }) => call("GET", `/api/v1/sections/${"0".repeat(26)}`),
    mcp: ["retrieve", { kbid: "0".repeat(26) }],
    cli: [["get", "0".repeat(26)]],
    expected: { fails: "not_found" },
  },
  {
    rule: "a section is unlearned",
    engine: (kb) => kb.unlearn(VALVE),
    rest: NO_ROUTE,
    mcp: ["unlearn", { kbid: VALVE }, ({ removed }) => removed],
    cli: [
      ["unlearn", VALVE, "--yes"],
      ({ removed }) => removed.length === 1,
    ],
    expected: { value: true },
  },
  {
    rule: "an image without a title is refused",
    engine: (kb) => kb.learn(new Uint8Array([1]), { type: "image/png" }),
    rest: NO_ROUTE,
    mcp: ["learn", { content: "AQ==", type: "image/png" }],
    cli: "the command takes the title from the name of the file",
    expected: { fails: "invalid_input" },
  },
  {
    rule: "a sound base passes the check",
    engine: async (kb) => (await kb.check()).ok,
    rest: "upkeep is not for clients of REST",
    mcp: ["check", {}, ({ ok }) => ok],
    cli: [["check"], ({ ok }) => ok],
    expected: { value: true },
  },
  {
    rule: "a job that is not there is not found",
    engine: (kb) => kb.jobs.get(9),
    rest: ({ call }) => call("GET", "/api/v1/jobs/9"),
    mcp: "tools list jobs only",
    cli: [["jobs", "show", "9"]],
    expected: { fails: "not_found" },
  },
  {
    rule: "a collection is not renamed to one that is there",
    engine: (kb) => kb.renameCollection("memory", "documents"),
    rest: "collections are tags there",
    mcp: "collections are tags there",
    cli: [["collections", "rename", "memory", "documents"]],
    expected: { fails: "conflict" },
  },
];

const FRONT_ENDS = {
  "the facade": byFacade,
  "the client": byClient,
  REST: byRest,
  MCP: byMcp,
  "the command": byCli,
} as const;

for (const [name, run] of Object.entries(FRONT_ENDS)) {
  for (const row of ROWS) {
    const part = name === "REST"
      ? row.rest
      : name === "MCP"
      ? row.mcp
      : name === "the command"
      ? row.cli
      : row.engine;
    const isSkipped = typeof part === "string";
    Deno.test({
      name: `${row.rule}, by ${name}${isSkipped ? ` (not: ${part})` : ""}`,
      ignore: isSkipped,
      fn: () => run(row),
    });
  }
}
