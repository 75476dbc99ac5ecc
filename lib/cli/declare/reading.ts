import { type Command, Option } from "commander";
import { LIMITS } from "../../core/mod.ts";
import { addExamples, type Declaring, markListing } from "./declaring.ts";
import { addAlias, addFilters, countOption, toShare } from "./options.ts";

/** Declares the commands that find and show. */
export function declareReading(declaring: Declaring): void {
  declareSearch(declaring);
  declareListing(declaring);
  declareDocument(declaring);
  declareComposing(declaring);
}

function declareSearch({ program, io, done }: Declaring): void {
  const search = program.command("search <query...>")
    .description("find passages by word and by meaning")
    .addOption(
      countOption("-n, --limit <count>", "most hits", { min: 1, max: 100 })
        .default(10),
    )
    .addOption(
      countOption("--offset <count>", "hits to pass over", {
        min: 0,
        max: 1000,
      }).default(0),
    );
  addAlias(search, "--top <count>", "limit");
  addFilters(search)
    .addOption(new Option("--fts-only", "by word only").conflicts("vecOnly"))
    .addOption(new Option("--vec-only", "by meaning only"))
    .option("--threshold <score>", "least score, 0 to 1", toShare)
    .option("--documents", "one hit a document")
    .option("--stats", "count matches by term, type and collection instead")
    .option("--explain", "show ranks, scores and times")
    .action(async (words: string[], _: unknown, command: Command) => {
      const { search } = await import("../commands/search.ts");
      done(await search(io, words, command.optsWithGlobals()));
    });
  addExamples(
    markListing(search),
    ['kbdb search "how do I restore a backup"', "by word and by meaning"],
    [
      "kbdb search '\"exit code\" in:documents -draft' --json",
      "a phrase, a collection, without a word; for another program",
    ],
    ["kbdb search deploy --top 5 --tags ops,2026 --type pdf", "filters"],
    ["kbdb search --fts-only -- -v", "words that begin with -"],
  );
}

function declareListing({ program, io, done }: Declaring): void {
  const list = program.command("list")
    .description("list documents")
    .addOption(
      countOption("-n, --limit <count>", "most documents", {
        min: 1,
        max: 10_000,
      }).default(100),
    )
    .addOption(
      countOption("--offset <count>", "documents to pass over", { min: 0 })
        .default(0),
    );
  addAlias(list, "--top <count>", "limit");
  addFilters(list)
    .addOption(
      new Option("--sort <order>", "order").choices(["recent", "title", "path"])
        .default("recent"),
    )
    .action(async (_: unknown, command: Command) => {
      const { list } = await import("../commands/documents.ts");
      done(await list(io, command.optsWithGlobals()));
    });
  addExamples(
    markListing(list),
    ["kbdb list", "what changed last"],
    ["kbdb list --type pdf --tag ops --sort title", "some of them"],
    ["kbdb list --meta author=Ada --after 2026-01-01", "by facts"],
    ["kbdb list --limit 10000 --format csv > documents.csv", "for a table"],
  );
  const tags = program.command("tags")
    .description("list tags and how many documents have each")
    .action(async (_: unknown, command: Command) => {
      const { tags } = await import("../commands/documents.ts");
      done(await tags(io, command.optsWithGlobals()));
    });
  addExamples(markListing(tags), ["kbdb tags", "every tag"]);
}

function declareDocument({ program, io, done }: Declaring): void {
  const info = program.command("info <ref>")
    .description("show what is known of a document, by id, docid or path")
    .action(async (ref: string, _: unknown, command: Command) => {
      const { info } = await import("../commands/documents.ts");
      done(await info(io, ref, command.optsWithGlobals()));
    });
  addExamples(
    markListing(info),
    ["kbdb info 42", "by id"],
    ["kbdb info notes/backup.md", "by path"],
  );
  const get = program.command("get <ref>")
    .description(
      "print the text of a document, by id, docid or path, or of a section, by kbid",
    )
    .action(async (ref: string, _: unknown, command: Command) => {
      const { get } = await import("../commands/documents.ts");
      done(await get(io, ref, command.optsWithGlobals()));
    });
  addExamples(
    get,
    ["kbdb get 42", "a document"],
    ["kbdb get 1v2xq0c5k8n3w7r9t4y6m0d2hs", "a section"],
  );
  const file = program.command("file <ref>")
    .description(
      "give back the file a document was made of, byte by byte, by id, docid or path",
    )
    .option(
      "-o, --output <path>",
      "write it to this file, or into this folder; - is standard output",
    )
    .option("-f, --force", "replace a file that is there")
    .action(async (ref: string, _: unknown, command: Command) => {
      const { file } = await import("../commands/file.ts");
      done(await file(io, ref, command.optsWithGlobals()));
    });
  addExamples(
    file,
    ["kbdb file 42 -o manual.pdf", "into a file"],
    ["kbdb file 42 -o .", "into a folder, by its own name"],
    ["kbdb file 42 | pdftotext - -", "into a pipe"],
  );
  const extract = program.command("extract <file>")
    .description(
      "print what would be indexed of a file, section by section; needs no base",
    )
    .action(async (file: string, _: unknown, command: Command) => {
      const { extract } = await import("../commands/extract.ts");
      done(await extract(io, file, command.optsWithGlobals()));
    });
  addExamples(extract, ["kbdb extract manual.html", "what is found in a file"]);
}

function declareComposing({ program, io, done }: Declaring): void {
  const content = program.command("content <ids...>")
    .description(
      "print one Markdown text of documents, by docid, and sections, by kbid, with what they embed",
    )
    .addOption(
      countOption("--offset <chars>", "go on here in the text", { min: 0 }),
    )
    .addOption(
      countOption("--max-chars <chars>", "longest text; all of it otherwise", {
        min: 2,
        max: LIMITS.answerCharsMax,
      }),
    )
    .action(async (ids: string[], _: unknown, command: Command) => {
      const { content } = await import("../commands/compose.ts");
      done(await content(io, ids, command.optsWithGlobals()));
    });
  addExamples(
    content,
    ["kbdb content team-rules on-call", "two documents as one text"],
  );
  const recall = program.command("recall <kbids...>")
    .description(
      "show sections with what is around them: their documents, what refers to them and what they refer to",
    )
    .addOption(
      countOption(
        "--depth <steps>",
        "how much of the surroundings: 0 none, 1 documents and what refers to it, 2 siblings and references, 3 their content",
        {
          min: 0,
          max: 3,
        },
      ),
    )
    .addOption(
      countOption("--offset <chars>", "go on here in the content", { min: 0 }),
    )
    .addOption(
      countOption("--max-chars <chars>", "longest answer", {
        min: 2_000,
        max: LIMITS.answerCharsMax,
      }),
    )
    .action(async (kbids: string[], _: unknown, command: Command) => {
      const { recall } = await import("../commands/compose.ts");
      done(await recall(io, kbids, command.optsWithGlobals()));
    });
  addExamples(
    recall,
    [
      "kbdb recall 1v2xq0c5k8n3w7r9t4y6m0d2hs",
      "a section that a search has found",
    ],
  );
}
