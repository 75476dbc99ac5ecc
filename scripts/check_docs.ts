/**
 * Checks that the documents are true: links lead somewhere, tasks and commands that are named
 * exist, every command stands in docs/cli.md, and docs/http.md has the routes as they are; `--write`
 * writes them.
 *
 * @module
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { buildProgram } from "../lib/cli/program.ts";
import { BEGIN, toHttpReference } from "./http_reference.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** Markdown files of the project, by path from its root. */
function listDocuments(): string[] {
  const found = ["README.md", "CHANGELOG.md", "models/README.md"];
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
  return [...text.matchAll(/\btask ([a-z][a-z-]*)/g)]
    .map(([, task = ""]) => task)
    .filter((task) => !tasks.has(task))
    .map((task) => `${path}: there is no task "${task}"`);
}

/** Commands of kbdb, by name. */
function listCommands(): Map<string, string> {
  const io = {
    env: {},
    cwd: ROOT,
    home: ROOT,
    platform: process.platform,
    out: { write: () => {} },
    err: { write: () => {} },
    input: process.stdin,
    signal: new AbortController().signal,
  };
  const program = buildProgram(io, () => {});
  return new Map(
    program.commands.map((command) => [command.name(), command.description()]),
  );
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

const HTTP = join(ROOT, "docs", "http.md");

/** The part of docs/http.md that people write, and the one that is generated. */
function readHttp(): [string, string] {
  const text = readFileSync(HTTP, "utf8");
  const at = text.indexOf(BEGIN);
  if (at < 0) throw new TypeError(`docs/http.md has no line "${BEGIN}"`);
  return [text.slice(0, at), text.slice(at + BEGIN.length)];
}

/** A Markdown text without what formatting changes. */
function unformatted(text: string): string {
  return text.replace(/\s+/g, " ").replace(/-{3,}/g, "---").trim();
}

/** Says whether the routes in docs/http.md are not those of the server. */
function staleRoutes(): string[] {
  const [, generated] = readHttp();
  return unformatted(generated) === unformatted(toHttpReference())
    ? []
    : ["docs/http.md: routes changed; run scripts/check_docs.ts --write"];
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
    );
  }
  problems.push(...staleRoutes());
  const cli = readFileSync(join(ROOT, "docs", "cli.md"), "utf8");
  for (const [name, description] of commands) {
    if (!cli.includes(`## kbdb ${name}`)) {
      problems.push(`docs/cli.md: "kbdb ${name}" is missing`);
    }
    if (description === "") problems.push(`kbdb ${name} has no description`);
  }
  return problems;
}

if (process.argv.includes("--write")) {
  writeFileSync(HTTP, `${readHttp()[0]}${BEGIN}\n\n${toHttpReference()}\n`);
}
const problems = check();
process.stderr.write(problems.map((problem) => `${problem}\n`).join(""));
process.exitCode = problems.length === 0 ? 0 : 1;
