import type { z } from "zod";

/** Most faults one answer lists. */
const ISSUES_SHOWN = 5;
/** Longest value or name an answer quotes, in UTF-16 units. */
const QUOTED_CHARS = 60;

type Issue = z.core.$ZodIssue;

/**
 * Says what is wrong with the arguments of a tool and how to mend it.
 *
 * @param tool Name of the tool.
 * @param issues What its schema objects to; at least one.
 * @param schema Its schema.
 * @param args What was given.
 */
export function describeIssues(
  tool: string,
  issues: readonly Issue[],
  schema: z.ZodObject,
  args: unknown,
): string {
  const names = Object.keys(schema.shape);
  const lines = issues.slice(0, ISSUES_SHOWN).map((issue) =>
    describeIssue(issue, names, args)
  );
  const rest = issues.length - lines.length;
  if (rest > 0) lines.push(`and ${rest} more`);
  const known = names.length === 0
    ? "It takes no parameters."
    : `Parameters: ${names.join(", ")}.`;
  return `Cannot call ${tool}: ${lines.join("; ")}. ${known}`;
}

/**
 * Finds the name that is most like another.
 *
 * @returns `undefined` if none is near enough to be meant.
 *
 * @example A slip of the finger
 * ```ts
 * import assert from "node:assert/strict";
 *
 * assert.equal(findNearest("qurey", ["query", "limit"]), "query");
 * assert.equal(findNearest("colour", ["query", "limit"]), undefined);
 * ```
 */
export function findNearest(
  name: string,
  names: readonly string[],
): string | undefined {
  let best: { name: string; distance: number } | undefined;
  const wanted = name.toLowerCase().replaceAll(/[-_]/g, "");
  if (wanted.length > QUOTED_CHARS) return undefined;
  for (const candidate of names) {
    const known = candidate.toLowerCase().replaceAll(/[-_]/g, "");
    const isPart = known.length >= 3 &&
      (wanted.includes(known) ||
        (wanted.length >= 3 && known.includes(wanted)));
    const distance = isPart ? 1 : editDistance(wanted, known);
    if (best === undefined || distance < best.distance) {
      best = { name: candidate, distance };
    }
  }
  const allowed = Math.max(1, Math.floor(wanted.length / 2.5));
  return best !== undefined && best.distance <= allowed ? best.name : undefined;
}

function describeIssue(
  issue: Issue,
  names: readonly string[],
  args: unknown,
): string {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.slice(0, ISSUES_SHOWN).map((key) =>
      describeUnknown(key, issue.path.length === 0 ? names : [])
    ).join("; ");
  }
  const path = toPath(issue.path);
  const value = valueAt(args, issue.path);
  if (path === "") {
    return issue.code === "custom"
      ? issue.message
      : "the arguments must be an object";
  }
  if (value === undefined) return `"${path}" is missing`;
  return `"${path}" ${describeFault(issue)}, got ${quote(value)}`;
}

function describeUnknown(key: string, names: readonly string[]): string {
  const nearest = findNearest(key, names);
  return `there is no parameter ${quote(key)}${
    nearest === undefined ? "" : ` (did you mean "${nearest}"?)`
  }`;
}

function describeFault(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${toNoun(issue.expected)}`;
    case "invalid_value":
      return `must be one of ${
        issue.values.map((value) => JSON.stringify(value)).join(", ")
      }`;
    case "too_small":
      return `must ${describeBound(issue.origin, "at least", issue.minimum)}`;
    case "too_big":
      return `must ${describeBound(issue.origin, "at most", issue.maximum)}`;
    default:
      return issue.message;
  }
}

function describeBound(
  origin: string,
  side: "at least" | "at most",
  bound: number | bigint,
): string {
  switch (origin) {
    case "string":
      return `have ${side} ${bound} character${bound === 1 ? "" : "s"}`;
    case "array":
      return `have ${side} ${bound} ${bound === 1 ? "entry" : "entries"}`;
    default:
      return `be ${side} ${bound}`;
  }
}

function toNoun(type: string): string {
  switch (type) {
    case "int":
      return "a whole number";
    case "array":
    case "object":
      return `an ${type}`;
    default:
      return `a ${type}`;
  }
}

function toPath(path: readonly PropertyKey[]): string {
  return path.map((part, index) =>
    typeof part === "number"
      ? `[${part}]`
      : `${index > 0 ? "." : ""}${String(part)}`
  ).join("");
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value;
  for (const part of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, part)) {
      return undefined;
    }
    at = (at as Record<PropertyKey, unknown>)[part];
  }
  return at;
}

function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= QUOTED_CHARS
    ? text
    : `${text.slice(0, QUOTED_CHARS).toWellFormed()}…`;
}

/** Least number of inserted, removed and changed characters (Levenshtein). */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const change = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(
        Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1),
      );
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
