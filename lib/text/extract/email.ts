import { Buffer } from "node:buffer";
import PostalMime from "postal-mime";
import type { JsonObject } from "../../core/mod.ts";
import { cleanTitle } from "../frontmatter.ts";
import { normalizeText } from "../preprocess.ts";
import type { TextSection } from "../types.ts";
import { htmlToSections } from "./html_builder.ts";
import { type Extracted, ExtractError, type ExtractInput } from "./types.ts";

type Email = Awaited<ReturnType<typeof PostalMime.parse>>;
type Address = NonNullable<Email["from"]>;

/** Extracts a message: who wrote what to whom, and its text. Attachments are named, not read. */
export async function extractEmail(input: ExtractInput): Promise<Extracted> {
  const email = await parse(input.bytes, input);
  const lines = countLines(input.bytes);
  const { section, warnings } = toSection(email, input, 1, lines);
  const metadata: Record<string, JsonObject[string]> = {};
  if (email.from !== undefined) metadata["from"] = nameOf(email.from);
  if (email.to !== undefined) metadata["to"] = email.to.map(nameOf);
  const time = Date.parse(email.date ?? "");
  return {
    title: section.title,
    docType: "email",
    tags: [],
    metadata,
    ...(Number.isNaN(time) ? {} : { createdAt: new Date(time).toISOString() }),
    sections: section.content === "" ? [] : [section],
    warnings,
  };
}

/** Extracts a mailbox: each message a section. */
export async function extractMbox(input: ExtractInput): Promise<Extracted> {
  const sections: TextSection[] = [];
  const warnings: string[] = [];
  let chars = 0;
  for (const { bytes, lineStart, lineEnd } of messagesOf(input.bytes)) {
    if (sections.length >= input.limits.entries) {
      throw new ExtractError(
        "too_large",
        `The mailbox holds more than ${input.limits.entries} messages; split it.`,
      );
    }
    const email = await parse(unquote(bytes), input);
    const found = toSection(email, input, lineStart, lineEnd);
    chars += found.section.content.length;
    if (chars > input.limits.textChars) {
      throw new ExtractError(
        "too_large",
        `The mailbox holds more than ${input.limits.textChars} characters; split it.`,
      );
    }
    if (found.section.content !== "") sections.push(found.section);
    warnings.push(...found.warnings);
  }
  return {
    title: null,
    docType: "email",
    tags: [],
    metadata: { messages: sections.length },
    sections,
    warnings: warnings.length > 10
      ? [
        `${warnings.length} messages have attachments, which are named and not read.`,
      ]
      : warnings,
  };
}

function parse(bytes: Uint8Array, { limits }: ExtractInput): Promise<Email> {
  // The library parses what is forwarded inline as part of the message.
  return PostalMime.parse(bytes, { maxNestingDepth: limits.depth });
}

/** A message as one section: what its head says, then its text. */
function toSection(
  email: Email,
  { limits }: ExtractInput,
  lineStart: number,
  lineEnd: number,
): { section: TextSection; warnings: string[] } {
  const title = cleanTitle((email.subject ?? "").toWellFormed());
  const files = email.attachments.map(({ filename, mimeType }) =>
    filename ?? mimeType
  );
  const head = [
    ["Subject", title ?? ""],
    ["From", email.from === undefined ? "" : nameOf(email.from)],
    ["To", (email.to ?? []).map(nameOf).join(", ")],
    ["Cc", (email.cc ?? []).map(nameOf).join(", ")],
    ["Date", email.date ?? ""],
    ["Attachments", files.join(", ")],
  ].filter(([, value]) => value !== "").map(([name, value]) =>
    `${name}: ${value}`
  ).join("\n");
  const plain = normalizeText(email.text ?? "").trim();
  const made = plain === ""
    ? htmlToSections(email.html ?? "", { depth: limits.depth }).sections
    : [];
  const body = plain === ""
    ? made.map(({ content }) => content).join("\n\n")
    : plain;
  return {
    section: {
      title,
      headingPath: title === null ? [] : [title],
      level: title === null ? 0 : 1,
      content: `${head}\n\n${body}`.trim().toWellFormed(),
      mime: "text/plain",
      lineStart,
      lineEnd,
      links: made.flatMap(({ links }) => links).filter(({ target }) =>
        /^[a-z][a-z0-9+.-]*:/i.test(target)
      ).map((link) => ({ ...link, line: lineStart })),
    },
    warnings: files.length === 0 ? [] : [
      `Attachments are named and not read (${
        files.join(", ").slice(0, 200).toWellFormed()
      }); save them and add those.`,
    ],
  };
}

function nameOf({ name, address, group }: Address): string {
  const inner = group?.map(nameOf).join(", ") ?? "";
  const place = address ?? inner;
  const text = name === "" || name === place
    ? place
    : place === ""
    ? name
    : `${name} <${place}>`;
  return text.replace(/\s+/g, " ").toWellFormed();
}

const LINE_FEED = 10;

function countLines(bytes: Uint8Array): number {
  let count = bytes.at(-1) === LINE_FEED ? 0 : 1;
  for (
    let at = bytes.indexOf(LINE_FEED);
    at !== -1;
    at = bytes.indexOf(LINE_FEED, at + 1)
  ) count++;
  return Math.max(1, count);
}

/** Takes off the `>` that a mailbox puts before lines that begin with `From `, quoted ones among them. */
function unquote(bytes: Uint8Array): Uint8Array {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!text.includes(">From ")) return bytes;
  return Buffer.from(
    text.toString("latin1").replace(/^>(>*From )/gm, "$1"),
    "latin1",
  );
}

interface Message {
  readonly bytes: Uint8Array;
  readonly lineStart: number;
  readonly lineEnd: number;
}

/** Parts a mailbox at the lines that begin with `From ` after an empty one. */
function* messagesOf(bytes: Uint8Array): Generator<Message> {
  let from = 0;
  let line = 1;
  let lineStart = 1;
  let isAfterEmpty = true;
  for (let at = 0; at < bytes.length; line++) {
    const found = bytes.indexOf(LINE_FEED, at);
    const end = found === -1 ? bytes.length : found;
    const start = String.fromCharCode(
      ...bytes.subarray(at, Math.min(end, at + 5)),
    );
    if (isAfterEmpty && start === "From ") {
      if (at > from) {
        yield {
          bytes: bytes.subarray(from, at),
          lineStart,
          lineEnd: Math.max(lineStart, line - 1),
        };
      }
      from = end + 1;
      lineStart = line + 1;
    }
    isAfterEmpty = end === at || end === at + 1 && bytes[at] === 13;
    at = end + 1;
  }
  if (from < bytes.length) {
    yield {
      bytes: bytes.subarray(from),
      lineStart,
      lineEnd: Math.max(lineStart, line - 1),
    };
  }
}
