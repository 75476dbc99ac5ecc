import { type Command, Option } from "commander";
import {
  addExamples,
  commandByDefault,
  type Declaring,
  markListing,
} from "./declaring.ts";
import { countOption, yesOption } from "./options.ts";

/** Declares the commands that say how a base is and keep it well. */
export function declareUpkeep(declaring: Declaring): void {
  declareState(declaring);
  declareVectors(declaring);
  declareRepair(declaring);
  declareModel(declaring);
}

function declareState({ program, io, done }: Declaring): void {
  const status = program.command("status")
    .description("show what the base holds and whether vectors are missing")
    .action(async (_: unknown, command: Command) => {
      const { status } = await import("../commands/status.ts");
      done(await status(io, command.optsWithGlobals()));
    });
  addExamples(
    markListing(status),
    ["kbdb status", "the base in use"],
    ["kbdb status --db ~/other/.kbdb --json", "another one"],
  );
  const config = program.command("config")
    .description("show every setting, its value and where that comes from")
    .action(async (_: unknown, command: Command) => {
      const { config } = await import("../commands/config.ts");
      done(await config(io, command.optsWithGlobals()));
    });
  addExamples(markListing(config), ["kbdb config", "the settings in force"]);
}

function declareVectors({ program, io, done }: Declaring): void {
  const embed = program.command("embed")
    .description("make the vectors that are missing")
    .action(async (_: unknown, command: Command) => {
      const { embed } = await import("../commands/embed.ts");
      done(await embed(io, command.optsWithGlobals()));
    });
  addExamples(embed, ["kbdb embed", "after kbdb add --no-embed"]);
  const reindex = program.command("reindex")
    .description(
      "make all vectors anew beside the old ones, which answer until they are replaced",
    )
    .action(async (_: unknown, command: Command) => {
      const { reindex } = await import("../commands/embed.ts");
      done(await reindex(io, command.optsWithGlobals()));
    });
  addExamples(reindex, ["kbdb reindex", "after another model was chosen"]);
}

function declareRepair({ program, io, done }: Declaring): void {
  const check = program.command("check")
    .description(
      "verify the base: database, word index, hashes, references; exit code 65 if the base is damaged",
    )
    .action(async (_: unknown, command: Command) => {
      const { check } = await import("../commands/repair.ts");
      done(await check(io, command.optsWithGlobals()));
    });
  addExamples(
    markListing(check),
    ["kbdb check", "whether all is well"],
    ["kbdb check --format jsonl", "one fault a line"],
  );
  const gc = program.command("gc")
    .description(
      "remove the sections that no document has, skills excepted; shows them and asks first",
    )
    .option("--dry-run", "only show them")
    .addOption(yesOption())
    .action(async (_: unknown, command: Command) => {
      const { gc } = await import("../commands/repair.ts");
      done(await gc(io, command.optsWithGlobals()));
    });
  addExamples(
    markListing(gc),
    ["kbdb gc --dry-run", "what would go"],
    ["kbdb gc --yes", "without a question"],
  );
  const rebuild = program.command("rebuild")
    .description(
      "make all that can be derived anew: chunks, word index, which vectors are still of their text; nothing you added is lost, search goes on",
    )
    .option("--no-embed", "leave missing vectors for later (kbdb embed)")
    .action(async (_: unknown, command: Command) => {
      const { rebuild } = await import("../commands/repair.ts");
      done(await rebuild(io, command.optsWithGlobals()));
    });
  addExamples(rebuild, ["kbdb rebuild", "after kbdb check found a fault"]);
}

function declareModel({ program, io, done }: Declaring): void {
  const model = program.command("model").description("the embedding models");
  const list = commandByDefault(model, "list")
    .description("list the models kbdb knows")
    .action(async (_: unknown, command: Command) => {
      const { list } = await import("../commands/model.ts");
      done(await list(io, command.optsWithGlobals()));
    });
  addExamples(markListing(list), ["kbdb model list", "which is in use"]);
  const pull = model.command("pull <name>")
    .description("download a model and check it; one that broke off goes on")
    .action(async (name: string, _: unknown, command: Command) => {
      const { pull } = await import("../commands/model.ts");
      done(await pull(io, name, command.optsWithGlobals()));
    });
  addExamples(pull, ["kbdb model pull e5-small-v2", "from the hub"]);
  const use = model.command("use <name>")
    .description(
      "make a model, by name or folder, that of the base, and say what is left to do",
    )
    .action(async (name: string, _: unknown, command: Command) => {
      const { use } = await import("../commands/model.ts");
      done(await use(io, name, command.optsWithGlobals()));
    });
  addExamples(
    use,
    ["kbdb model use e5-small-v2", "one that was pulled"],
    ["kbdb model use ./folder", "one of your own"],
  );
  declareRegister(model, { io, done });
  const check = model.command("check")
    .description(
      "compare the files of the model in use with their pinned SHA-256",
    )
    .action(async (_: unknown, command: Command) => {
      const { check } = await import("../commands/model.ts");
      done(await check(io, command.optsWithGlobals()));
    });
  addExamples(check, ["kbdb model check", "whether its files are whole"]);
}

function declareRegister(
  model: Command,
  { io, done }: Pick<Declaring, "io" | "done">,
): void {
  const register = model.command("register <folder>")
    .description(
      "describe a model of your own in a folder (model.onnx, and tokenizer.json of an uncased BERT model), and try it",
    )
    .addOption(
      countOption("--dims <count>", "numbers in a vector", {
        min: 16,
        max: 8_192,
      }).makeOptionMandatory(),
    )
    .addOption(
      countOption("--window <tokens>", "longest text it reads, in tokens", {
        min: 16,
        max: 8_192,
      }).default(512),
    )
    .addOption(
      new Option("--pooling <how>", "how vectors of tokens become one").choices(
        ["cls", "mean"],
      ).default("mean"),
    )
    .option("--query-prefix <text>", "put before a query", "")
    .option("--passage-prefix <text>", "put before a passage", "")
    .action(async (folder: string, _: unknown, command: Command) => {
      const { register } = await import("../commands/model.ts");
      done(await register(io, folder, command.optsWithGlobals()));
    });
  addExamples(
    register,
    [
      "kbdb model register ./folder --dims 384",
      "then: kbdb model use ./folder",
    ],
  );
}
