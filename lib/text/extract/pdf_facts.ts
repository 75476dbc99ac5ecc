import type { JsonObject } from "../../core/mod.ts";
import { cleanTitle } from "../frontmatter.ts";
import type { Extracted } from "./types.ts";

/** What tools write where nobody said anything. */
const PLACEHOLDER = /^\s*\(?(?:untitled|anonymous|unspecified)\)?\s*$/i;

/**
 * Takes title, author and dates from what a PDF says of itself.
 *
 * @param pages How many it has.
 * @param info Its dictionary of information.
 */
export function toFacts(
  pages: number,
  info: object,
): Pick<Extracted, "title" | "metadata" | "createdAt" | "updatedAt"> {
  const facts: ReadonlyMap<string, unknown> = new Map(Object.entries(info));
  const metadata: Record<string, JsonObject[string]> = {
    pages,
  };
  for (const name of ["Author", "Subject", "Keywords"]) {
    const value = facts.get(name);
    if (
      typeof value === "string" && /\w/.test(value) && !PLACEHOLDER.test(value)
    ) {
      metadata[name.toLowerCase()] = value.toWellFormed();
    }
  }
  const title = facts.get("Title");
  const createdAt = toIso(facts.get("CreationDate"));
  const updatedAt = toIso(facts.get("ModDate"));
  return {
    title: typeof title === "string" && !PLACEHOLDER.test(title)
      ? cleanTitle(title.toWellFormed())
      : null,
    metadata,
    ...(createdAt === undefined ? {} : { createdAt }),
    ...(updatedAt === undefined ? {} : { updatedAt }),
  };
}

const PDF_DATE =
  /^D?:?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:Z|([-+]\d\d)'?(\d\d)?)?/;

/** Reads `D:20260131120000+01'00'`. */
function toIso(value: unknown): string | undefined {
  const match = typeof value === "string" ? PDF_DATE.exec(value) : null;
  if (match === null) return undefined;
  const [, year, month = "01", day = "01", hour = "00", min = "00", s = "00"] =
    match;
  const zone = match[7] === undefined ? "Z" : `${match[7]}:${match[8] ?? "00"}`;
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${min}:${s}${zone}`);
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}
