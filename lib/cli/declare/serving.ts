import { type Command, Option } from "commander";
import { LIMITS } from "../../core/mod.ts";
import { addExamples, commandByDefault, type Declaring } from "./declaring.ts";
import { bytesOption, countOption, toolsOption } from "./options.ts";

const WATCH =
  "also keep the base in step with the folders that were synced (kbdb roots)";

/** Declares the commands that let others use a base, and commands a model that is loaded. */
export function declareServing(declaring: Declaring): void {
  const { program, io, done, version } = declaring;
  const mcp = program.command("mcp")
    .description(
      "serve the base to an AI agent by the Model Context Protocol on standard input and output",
    )
    .addOption(toolsOption("kbdb"))
    .option("--watch", WATCH)
    .action(async (_: unknown, command: Command) => {
      const { mcp } = await import("../commands/mcp.ts");
      done(await mcp(io, version, command.optsWithGlobals()));
    });
  addExamples(
    mcp,
    ["kbdb mcp --db ~/notes/.kbdb", "what a host of agents starts"],
  );
  const serve = program.command("serve")
    .description("serve the base over HTTP: the REST API, and MCP at /mcp")
    .addOption(
      new Option("--host <address>", "address to listen on").default(
        undefined,
        "127.0.0.1",
      ),
    )
    .addOption(
      countOption("--port <port>", "port to listen on; 0 takes any", {
        min: 0,
        max: 65_535,
      }).default(undefined, "8000"),
    )
    .addOption(
      countOption(
        "--mcp-port <port>",
        "a port at which only MCP is answered, besides the other; 0 takes any",
        { min: 0, max: 65_535 },
      ),
    )
    .addOption(
      bytesOption("--max-upload <size>", "largest upload", {
        min: 1,
        max: LIMITS.uploadBytes,
      }).default(undefined, String(LIMITS.fileBytes)),
    )
    .option("--read-only", "refuse everything that writes")
    .addOption(toolsOption("kb"))
    .option("--watch", WATCH)
    .option("--no-log", "do not log requests")
    .option("--log-queries", "log what is searched for, too")
    .action(async (_: unknown, command: Command) => {
      const { serve } = await import("../commands/serve.ts");
      done(await serve(io, version, command.optsWithGlobals()));
    });
  addExamples(
    serve,
    ["kbdb serve", "on this machine only"],
    [
      "KB_API_KEY=secret kbdb serve --host 0.0.0.0 --port 8080",
      "for others, by key",
    ],
  );
  declareDaemon(declaring);
}

function declareDaemon({ program, io, done }: Declaring): void {
  const daemon = program.command("daemon").description(
    "the process that keeps the model loaded for other commands; they start it when they need it",
  );
  const start = daemon.command("start")
    .description("start it, unless it runs")
    .action(async (_: unknown, command: Command) => {
      const { start } = await import("../commands/daemon.ts");
      done(await start(io, command.optsWithGlobals()));
    });
  addExamples(start, ["kbdb daemon start", "before the first search"]);
  const status = commandByDefault(daemon, "status")
    .description("say whether it runs")
    .action(async (_: unknown, command: Command) => {
      const { status } = await import("../commands/daemon.ts");
      done(await status(io, command.optsWithGlobals()));
    });
  addExamples(status, ["kbdb daemon status", "whether it runs"]);
  const stop = daemon.command("stop")
    .description("stop it and wait until it has ended")
    .action(async (_: unknown, command: Command) => {
      const { stop } = await import("../commands/daemon.ts");
      done(await stop(io, command.optsWithGlobals()));
    });
  addExamples(stop, ["kbdb daemon stop", "to have its memory back"]);
  daemon.command("run", { hidden: true })
    .description("be it, in this process")
    .action(async (_: unknown, command: Command) => {
      const { serveDaemon } = await import("../commands/daemon.ts");
      done(await serveDaemon(io, command.optsWithGlobals()));
    });
}
