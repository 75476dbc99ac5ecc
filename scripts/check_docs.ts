/**
 * Checks that the documents are true: links lead somewhere, tasks and commands that are named
 * exist, every command stands in docs/cli.md, JSON is JSON, options, settings, variables and routes
 * are what kbdb takes, and what is taken from the code is as the code says.
 *
 * @module
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseConfig } from "../lib/cli/settings/config_file.ts";
import { SETTINGS } from "../lib/cli/settings/table.ts";
import { ROUTES } from "../lib/http/routes/mod.ts";
import { listStale } from "./docs/generated.ts";
import { declaredProgram } from "./docs/program.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** Markdown files of the project, by path from its root. */
function listDocuments(): string[] {
  const found = ["README.md", "CHANGELOG.md", "SKILL.md", "models/README.md"];
  for (const entry of readdirSync(join(ROOT, "docs"), { recursive: true })) {
    if (typeof entry === "string" && entry.endsWith(".md")) {
      found.push(join("docs", entry));
    }
  }
  return found.sort();
}

/** Relative links of a document that lead to nothing. */
function brokenLinks(path: string, text: string): string[] {
  const prose = text.replace(/^```[\s\S]*?^```/gm, "");
  const broken: string[] = [];
  for (const [, target = ""] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:|^#/.test(target)) continue;
    const file = resolve(ROOT, dirname(path), target.split("#")[0] ?? "");
    if (!existsSync(file)) {
      broken.push(`${path}: the link "${target}" leads nowhere`);
    }
  }
  return broken;
}

/** Tasks that a document names and deno.json does not have. */
function unknownTasks(
  path: string,
  text: string,
  tasks: ReadonlySet<string>,
): string[] {
  return [...text.matchAll(/\bdeno(?:@[\d.]+)? task ([a-z][a-z-]*)/g)]
    .map(([, task = ""]) => task)
    .filter((task) => !tasks.has(task))
    .map((task) => `${path}: there is no task "${task}"`);
}

/** Blocks of JSON that cannot be read. */
function brokenJson(path: string, text: string): string[] {
  const broken: string[] = [];
  for (const [, json = ""] of text.matchAll(/^```json\n([\s\S]*?)^```/gm)) {
    try {
      JSON.parse(json);
    } catch (error) {
      broken.push(`${path}: a block of JSON cannot be read: ${error}`);
    }
  }
  return broken;
}

/** Blocks of JSON with comments, which are a `config.jsonc`, that kbdb would refuse. */
function brokenConfigs(path: string, text: string): string[] {
  const broken: string[] = [];
  for (const [, config = ""] of text.matchAll(/^```jsonc\n([\s\S]*?)^```/gm)) {
    try {
      parseConfig("config.jsonc", config);
    } catch (error) {
      broken.push(`${path}: ${error instanceof Error ? error.message : error}`);
    }
  }
  return broken;
}

/** Environment variables in a document that kbdb does not know. */
function unknownVariables(path: string, text: string): string[] {
  const known = new Set(SETTINGS.flatMap(({ env }) => env));
  return [...new Set(text.match(/\bKB(?:DB)?_[A-Z_]+\b/g))]
    .filter((name) => !known.has(name))
    .map((name) => `${path}: there is no variable "${name}"`);
}

/** Commands of kbdb, by name. */
function listCommands(): Map<string, string> {
  const program = declaredProgram();
  return new Map(
    program.commands.map((command) => [command.name(), command.description()]),
  );
}

/** Options in a document that the command before them on the line does not have. */
function unknownOptions(path: string, text: string): string[] {
  const program = declaredProgram();
  const shared = program.options.map(({ long }) => long);
  const call = /\b(?:kbdb|cli\.ts)(?: --(?:db|format) \S+)* ([a-z]+)([^\n|]*)/g;
  return [...text.matchAll(call)].flatMap(
    ([, name, rest = ""]) => {
      const words = rest.split(/[`\s[\]]+/);
      const command = program.commands.find((known) => known.name() === name);
      if (command === undefined) return [];
      const known = new Set<string | undefined>([
        "--help",
        ...shared,
        ...command.options.map(({ long }) => long),
        // `kbdb key create`: those of the command's own command.
        ...command.commands.find((own) => own.name() === words[1])?.options.map(
          ({ long }) => long,
        ) ?? [],
      ]);
      return words.map((word) => /^--[a-z][a-z-]*/.exec(word)?.[0])
        .filter((option) => option !== undefined && !known.has(option))
        .map((option) =>
          `${path}: kbdb ${command.name()} has no option "${option}"`
        );
    },
  );
}

/** Routes of the server that a document names and that there are not. */
function unknownRoutes(path: string, text: string): string[] {
  const routes = new Set(
    ROUTES.map(({ method, path }) => `${method} ${path}`),
  );
  return [
    ...text.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/api\/[^`\s?]*)/g),
  ]
    .map(([, method, route]) => `${method} ${route}`)
    .filter((route) => !routes.has(route))
    .map((route) => `${path}: there is no route "${route}"`);
}

/** Commands in code of a document that kbdb does not have. */
function unknownCommands(
  path: string,
  text: string,
  commands: ReadonlyMap<string, string>,
): string[] {
  return [...text.matchAll(/^(?:\$ )?kbdb ([a-z]+)/gm)]
    .map(([, command = ""]) => command)
    .filter((command) => !commands.has(command))
    .map((command) => `${path}: there is no command "kbdb ${command}"`);
}

function check(): string[] {
  const { tasks } = JSON.parse(readFileSync(join(ROOT, "deno.json"), "utf8"));
  const commands = listCommands();
  const problems: string[] = [];
  for (const path of listDocuments()) {
    const text = readFileSync(join(ROOT, path), "utf8");
    problems.push(
      ...brokenLinks(path, text),
      ...unknownTasks(path, text, new Set(Object.keys(tasks))),
      ...unknownCommands(path, text, commands),
      ...brokenJson(path, text),
      ...brokenConfigs(path, text),
      ...unknownVariables(path, text),
      ...unknownOptions(path, text),
      ...unknownRoutes(path, text),
    );
  }
  const cli = readFileSync(join(ROOT, "docs", "cli.md"), "utf8");
  for (const [name, description] of commands) {
    if (!cli.includes(`## kbdb ${name}`)) {
      problems.push(`docs/cli.md: "kbdb ${name}" is missing`);
    }
    if (description === "") problems.push(`kbdb ${name} has no description`);
  }
  problems.push(
    ...listStale().map((path) => `${path} is stale: run deno task reference`),
  );
  return problems;
}

const problems = check();
process.stderr.write(problems.map((problem) => `${problem}\n`).join(""));
process.exitCode = problems.length === 0 ? 0 : 1;
