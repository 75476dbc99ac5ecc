import { LIMITS } from "../../core/mod.ts";
import { readZipDirectory, type ZipEntry } from "../zip_directory.ts";
import { type ArchiveBudget, readZipEntry } from "./archive.ts";
import { ExtractError, type ExtractLimits } from "./types.ts";
import { parseXml, type XmlElement } from "./xml_tree.ts";

/** The parts of a document that is a ZIP file. What is read counts against one bound. */
export class Package {
  readonly #bytes: Uint8Array;
  readonly #limits: ExtractLimits;
  readonly #entries = new Map<string, ZipEntry>();
  readonly #budget: ArchiveBudget;

  /**
   * Reads the directory; nothing is unpacked yet.
   *
   * @throws {ExtractError} `corrupted` if there is none, `too_large` if it is past a bound.
   */
  constructor(bytes: Uint8Array, limits: ExtractLimits) {
    this.#bytes = bytes;
    this.#limits = limits;
    this.#budget = {
      bytes: limits.inflatedBytes,
      entries: limits.entries,
      memberBytes: limits.inflatedBytes,
      ratio: LIMITS.archiveRatio,
    };
    const directory = readZipDirectory(bytes, limits.entries + 1);
    if (directory === undefined) {
      throw new ExtractError(
        "corrupted",
        "The file is cut off or damaged; make it anew.",
      );
    }
    if (directory.total > limits.entries) {
      throw new ExtractError(
        "too_large",
        `The file holds more than ${limits.entries} parts.`,
      );
    }
    for (const entry of directory.entries) {
      if (!this.#entries.has(entry.name)) this.#entries.set(entry.name, entry);
    }
  }

  /** Says whether a part is there. */
  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /**
   * Unpacks a part as text.
   *
   * @returns `undefined` if it is not there.
   * @throws {ExtractError} If it is locked, damaged or past a bound.
   */
  findText(name: string): string | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    const member = readZipEntry(this.#bytes, entry, this.#budget);
    if ("state" in member) {
      const { state, reason } = member;
      throw new ExtractError(
        state === "password_required" || state === "too_large"
          ? state
          : "corrupted",
        `The part ${name} of the file cannot be read: ${reason}.`,
      );
    }
    return decode(member.bytes);
  }

  /**
   * Unpacks a part that must be there as text.
   *
   * @throws {ExtractError} `corrupted` if it is not.
   */
  getText(name: string): string {
    const text = this.findText(name);
    if (text === undefined) {
      throw new ExtractError(
        "corrupted",
        `The part ${name} of the file is missing; make it anew.`,
      );
    }
    return text;
  }

  /** Unpacks a part as a tree of XML; `undefined` if it is not there. */
  findXml(name: string): XmlElement | undefined {
    const text = this.findText(name);
    return text === undefined ? undefined : parseXml(text, this.#limits.depth);
  }

  /** Unpacks a part that must be there as a tree of XML. */
  getXml(name: string): XmlElement {
    return parseXml(this.getText(name), this.#limits.depth);
  }
}

/** Decodes UTF-8, or UTF-16 with its mark. */
function decode(bytes: Uint8Array): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe
    ? "utf-16le"
    : bytes[0] === 0xfe && bytes[1] === 0xff
    ? "utf-16be"
    : "utf-8";
  return new TextDecoder(encoding).decode(bytes);
}

/** Resolves a reference of one part to another: `word/document.xml`, `../media/a.png` → `media/a.png`. */
export function resolvePart(from: string, target: string): string {
  const parts = target.startsWith("/") ? [] : from.split("/").slice(0, -1);
  for (const part of target.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.join("/");
}
