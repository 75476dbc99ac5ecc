import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { z } from "zod";
import { KbError } from "../../core/mod.ts";
import { SETTINGS } from "./table.ts";

/** Something wrong at a place of the file. */
interface Fault {
  /** Counts UTF-16 units from 0. */
  readonly offset: number;
  /** What is wrong. */
  readonly text: string;
}

const SCHEMA = z.strictObject(Object.fromEntries(
  SETTINGS.filter(({ inConfig }) => inConfig).map(({ name, kind }) => [
    name,
    z.custom(kind.accepts, `"${name}" must be ${kind.meaning}`).optional(),
  ]),
));

/**
 * Reads the settings of a `config.jsonc`: JSON with comments and trailing commas.
 *
 * @param path Path for messages.
 * @param content The file's text; a blank one sets nothing.
 * @returns Values by name, each one that its setting takes.
 * @throws {KbError} `invalid_input` with line and column of everything that is wrong.
 */
export function parseConfig(
  path: string,
  content: string,
): ReadonlyMap<string, unknown> {
  const text = content.replace(/^\uFEFF/, "");
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, {
    allowTrailingComma: true,
    allowEmptyContent: true,
  });
  const faults: Fault[] = errors.map(({ error, offset }) => ({
    offset,
    text: toWords(printParseErrorCode(error)),
  }));
  if (faults.length > 0) throw toError(path, text, faults);
  if (tree === undefined) return new Map();
  faults.push(...listRepeated(tree));
  const result = SCHEMA.safeParse(getNodeValue(tree));
  if (!result.success) {
    faults.push(...result.error.issues.flatMap((issue) => locate(issue, tree)));
  }
  if (faults.length > 0 || !result.success) throw toError(path, text, faults);
  return new Map(Object.entries(result.data));
}

/** `CommaExpected` in words. */
function toWords(code: string): string {
  return code.replaceAll(
    /\B[A-Z]/g,
    (letter) => ` ${letter.toLowerCase()}`,
  ).toLowerCase();
}

/** Keys that stand there twice: which one counts would be a guess. */
function listRepeated(tree: Node): Fault[] {
  const seen = new Set<string>();
  return (tree.children ?? []).flatMap(({ children, offset }) => {
    const name = String(children?.[0]?.value);
    if (tree.type === "object" && seen.has(name)) {
      return [{ offset, text: `"${name}" is there twice` }];
    }
    seen.add(name);
    return [];
  });
}

/** Finds what an issue is about. */
function locate(issue: z.core.$ZodIssue, tree: Node): Fault[] {
  if (issue.code === "unrecognized_keys") {
    const known = Object.keys(SCHEMA.shape).join(", ");
    return issue.keys.map((key) => ({
      offset: findNodeAtLocation(tree, [key])?.parent?.offset ?? tree.offset,
      text: `there is no setting "${key}"; there are ${known}`,
    }));
  }
  const path = issue.path.filter((part) => typeof part !== "symbol");
  return [{
    offset: findNodeAtLocation(tree, path)?.offset ?? tree.offset,
    text: path.length === 0 ? "an object is expected: { … }" : issue.message,
  }];
}

function toError(path: string, text: string, faults: Fault[]): KbError {
  const places = faults.sort((a, b) => a.offset - b.offset).map((fault) => {
    const before = text.slice(0, fault.offset).split(/\r\n|\r|\n/);
    const line = before.length;
    const column = (before.at(-1) ?? "").length + 1;
    return { line, column, text: `${path}:${line}:${column}: ${fault.text}` };
  });
  const { line = 1, column = 1 } = places[0] ?? {};
  return new KbError(
    "invalid_input",
    `Cannot use ${places.map(({ text }) => text).join("\n")}`,
    { details: { path, line, column } },
  );
}
