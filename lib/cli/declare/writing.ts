import type { Command } from "commander";
import { addExamples, type Declaring, markListing } from "./declaring.ts";
import {
  addListed,
  addTagOptions,
  countOption,
  listOption,
  yesOption,
} from "./options.ts";
import { addRuleOptions } from "./syncing.ts";

/** Declares the commands that bring documents in, change them and take them out. */
export function declareWriting(declaring: Declaring): void {
  declareAdding(declaring);
  declareNotes(declaring);
  declareSections(declaring);
  declareRemoving(declaring);
}

function declareAdding({ program, io, done }: Declaring): void {
  const init = program.command("init [folder]")
    .description("make an empty base in FOLDER/.kbdb")
    .action(
      async (folder: string | undefined, _: unknown, command: Command) => {
        const { init } = await import("../commands/init.ts");
        done(await init(io, folder, command.optsWithGlobals()));
      },
    );
  addExamples(
    init,
    ["kbdb init", "a base for the project in the working directory"],
    ["kbdb init ~/notes", "a base in another folder"],
  );
  const add = program.command("add <paths...>")
    .description(
      "add or update files, folders and what patterns such as 'docs/**/*.md' match; documents whose files are gone from a folder are removed; - takes one file from standard input",
    );
  addRuleOptions(add)
    .option("--name <file>", "name of the file from standard input")
    .option("--title <title>", "title of the file from standard input")
    .option("--no-embed", "leave the vectors for later (kbdb embed)")
    .action(async (paths: string[], _: unknown, command: Command) => {
      const { add } = await import("../commands/add.ts");
      done(await add(io, paths, command.optsWithGlobals()));
    });
  addExamples(
    add,
    ["kbdb add notes manual.pdf", "a folder and a file"],
    ["kbdb add 'docs/**/*.md' --tags team,docs", "what a pattern matches"],
    [
      "curl -s https://example.com | kbdb add - --name example.html",
      "what another program writes",
    ],
  );
}

function declareNotes({ program, io, done }: Declaring): void {
  const addnote = program.command("addnote [text...]")
    .description(
      "add a note, from the arguments, or from standard input if there are none or -",
    )
    .option("--title <title>", "title of the note");
  addTagOptions(addnote, "give the note this tag")
    .option("-c, --collection <name>", "put the note in this collection")
    .option("--docid <docid>", "text id of the note")
    .option("--no-embed", "leave the vector for later (kbdb embed)")
    .action(async (words: string[], _: unknown, command: Command) => {
      const { addnote } = await import("../commands/addnote.ts");
      done(await addnote(io, words, command.optsWithGlobals()));
    });
  addExamples(
    addnote,
    ['kbdb addnote "The spare key hangs behind the boiler"', "a note"],
    [
      "git log -1 | kbdb addnote --tags git --title 'Last commit'",
      "from a pipe",
    ],
  );
  const updatenote = program.command("updatenote [id] [text...]")
    .description(
      "replace the text of a note, from the arguments, or from standard input if the text is -; id, tags and creation time stay, and the old text is kept (kbdb history)",
    )
    .option("--title <title>", "new title of the note")
    .action(
      async (
        id: string | undefined,
        words: string[],
        _: unknown,
        command: Command,
      ) => {
        const { updatenote } = await import("../commands/updatenote.ts");
        done(await updatenote(io, id, words, command.optsWithGlobals()));
      },
    );
  addExamples(
    updatenote,
    ['kbdb updatenote 42 "revised note content"', "a new text"],
    ["kbdb get 42 | sort | kbdb updatenote 42 -", "from a pipe"],
  );
  const history = program.command("history <ref>")
    .description("list what a note said before, compare, or bring it back")
    .option(
      "--diff [versions]",
      "show what changed: since version N, or between N..M; since the last version if none is named",
    )
    .addOption(
      countOption("--restore <version>", "give the note that text again", {
        min: 1,
      }).conflicts("diff"),
    )
    .action(async (ref: string, _: unknown, command: Command) => {
      const { history } = await import("../commands/history.ts");
      done(await history(io, ref, command.optsWithGlobals()));
    });
  addExamples(
    markListing(history),
    ["kbdb history 42", "the versions of a note"],
    ["kbdb history 42 --diff", "what the last update changed"],
    ["kbdb history 42 --diff 1..3", "what changed between two versions"],
    ["kbdb history 42 --restore 1", "the first text again"],
  );
}

function declareSections({ program, io, done }: Declaring): void {
  const learn = program.command("learn [text...]")
    .description(
      "learn a content as one section, from the arguments, from --file, or from standard input",
    )
    .option("--file <path>", "take the content from a file, such as an image")
    .option(
      "--type <type>",
      "MIME type; of --file by its name, else text/markdown",
    )
    .option("--title <title>", "title of the section")
    .option("--description <text>", "what it is about")
    .option("--docid <docid>", "document it joins; it stands alone otherwise");
  addTagOptions(learn, "give the document this tag; needs --docid")
    .option(
      "-c, --collection <name>",
      "put the document in this collection; needs --docid",
    )
    .option("--no-embed", "leave the vectors for later (kbdb embed)")
    .action(async (words: string[], _: unknown, command: Command) => {
      const { learn } = await import("../commands/sections.ts");
      done(await learn(io, words, command.optsWithGlobals()));
    });
  addExamples(
    learn,
    ['kbdb learn "Deploys are on Tuesdays" --docid team-rules', "a text"],
    [
      "kbdb learn --file plan.png --title 'Floor plan' --description 'The second floor'",
      "an image",
    ],
  );
  const unlearn = program.command("unlearn <kbids...>")
    .description("remove sections from the base and from every document")
    .addOption(yesOption())
    .action(async (kbids: string[], _: unknown, command: Command) => {
      const { unlearn } = await import("../commands/sections.ts");
      done(await unlearn(io, kbids, command.optsWithGlobals()));
    });
  addExamples(
    unlearn,
    ["kbdb unlearn 1v2xq0c5k8n3w7r9t4y6m0d2hs --yes", "without a question"],
  );
}

function declareRemoving({ program, io, done }: Declaring): void {
  const tag = program.command("tag <refs...>")
    .description(
      "add and remove tags of documents; collection:NAME moves a document to that collection",
    )
    .addOption(listOption("-a, --add <tag>", "add this tag"));
  addListed(tag, "--add-tags <tags>", "add")
    .addOption(listOption("-r, --remove <tag>", "take this tag off"));
  addListed(tag, "--remove-tags <tags>", "remove")
    .action(async (refs: string[], _: unknown, command: Command) => {
      const { tag } = await import("../commands/tag.ts");
      done(await tag(io, refs, command.optsWithGlobals()));
    });
  addExamples(
    markListing(tag),
    ["kbdb tag 42 --add ops --remove draft", "one document"],
    ["kbdb tag notes/a.md 43 --add-tags ops,2026", "several, with several"],
    ["kbdb tag 42 --add collection:memory", "into another collection"],
  );
  const rm = program.command("rm <refs...>")
    .description(
      "remove documents by id, docid or path, or all under a folder; files on disk stay; asks unless it is one document",
    )
    .addOption(yesOption())
    .action(async (refs: string[], _: unknown, command: Command) => {
      const { rm } = await import("../commands/rm.ts");
      done(await rm(io, refs, command.optsWithGlobals()));
    });
  addExamples(
    markListing(rm),
    ["kbdb rm 42", "one document, at once"],
    ["kbdb rm notes/old --yes", "all under a folder, without a question"],
  );
}
