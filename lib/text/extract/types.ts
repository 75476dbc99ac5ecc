import type { DocType, TextDocument } from "../types.ts";

/** Bounds of one extraction. What goes past one ends as an {@linkcode ExtractError}, never as less text without a word. */
export interface ExtractLimits {
  /** Most bytes that may come out of decompression, of all streams together. */
  readonly inflatedBytes: number;
  /** Most pages, slides or sheets. */
  readonly pages: number;
  /** Most entries of an archive. */
  readonly entries: number;
  /** Deepest nesting of elements, objects or archives. */
  readonly depth: number;
  /** Most UTF-16 units of text that may come out. */
  readonly textChars: number;
}

/** A file to extract. */
export interface ExtractInput {
  /** Whole file. */
  readonly bytes: Uint8Array;
  /** Path or name, for titles and hints; the content has been recognised already. */
  readonly path: string;
  /** Media type as recognised by content, else by extension. */
  readonly mime: string;
  /** The decoded text, of formats that are text; `undefined` for binary ones. */
  readonly text?: string;
  /** Bounds. */
  readonly limits: ExtractLimits;
}

/** What came out of a file. */
export interface Extracted extends TextDocument {
  /** What it is for filters. */
  readonly docType: DocType;
}

/**
 * Turns the bytes of one format into a document. Pure: no file, no clock, no network.
 *
 * @throws {ExtractError} If the file is damaged, locked, empty of text or past a limit. Nothing else
 * is thrown for any bytes.
 */
export type Extractor = (input: ExtractInput) => Promise<Extracted>;

/** How a file that cannot be extracted ends. */
export type ExtractErrorState =
  | "corrupted"
  | "no_text"
  | "password_required"
  | "too_large"
  | "unsupported";

/** Why a file gave no document: expected, and part of what is said of the file. */
export class ExtractError extends Error {
  /** Always `"ExtractError"`. */
  override readonly name = "ExtractError";
  /** How the file ends. */
  readonly state: ExtractErrorState;

  /** Takes the state and a sentence that says what to do, if anything can be done. */
  constructor(state: ExtractErrorState, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.state = state;
  }
}
