import type { DocumentId } from "../core/mod.ts";

/**
 * How one file ended. `indexed` and `unchanged` are in the base and searchable, `empty` is in the
 * base without text, `removed` was in the base and its file is gone; all others are not taken in,
 * and a version indexed before stays.
 */
export type FileState =
  | "indexed"
  | "unchanged"
  | "empty"
  | "removed"
  | "unsupported"
  | "binary"
  | "not_text"
  | "password_required"
  | "corrupted"
  | "no_text"
  | "too_large"
  | "unreadable"
  | "outside_root"
  | "ignored";

/** What became of one file. */
export interface FileReport {
  /** Absolute path. */
  readonly path: string;
  /** How it ended. */
  readonly state: FileState;
  /** Path it was known by, if it was renamed. */
  readonly movedFrom?: string;
  /** Why, where the state does not say all. */
  readonly reason?: string;
  /** Document it is stored as. */
  readonly documentId?: DocumentId;
  /** What was guessed or left out while reading it. */
  readonly warnings?: readonly string[];
}

/** Where long work stands. */
export interface Progress {
  /** What is going on: looking for files, storing their text, or making vectors. */
  readonly phase: "scan" | "store" | "embed";
  /** Items done: files, or chunks while embedding. */
  readonly done: number;
  /** Items in all; while scanning, as many as found so far. */
  readonly total: number;
  /** Work done, in bytes, or tokens while embedding. */
  readonly doneSize: number;
  /** Work in all, likewise. */
  readonly totalSize: number;
}

/** How chunks are measured, and what the embedding model can read. */
export interface Measure {
  /** Tokens of a text, marks not counted. */
  readonly countTokens: (text: string) => number;
  /** The model's window in tokens, its two marks counted. */
  readonly windowTokens: number;
}
