import { Buffer } from "node:buffer";
import type { Engine, EngineJobs } from "../kb/mod.ts";

/** Where the operations of an engine are, for kbdb's own client. */
export const ENGINE_PATH = "/api/v1/engine";

/** Where a file is sent that jobs are to take in. */
export const FILES_PATH = `${ENGINE_PATH}/files`;

/** Where an engine is asked to stop. */
export const STOP_PATH = `${ENGINE_PATH}/stop`;

/** Media type of an answer: one JSON value a line. */
export const ENGINE_MEDIA = "application/x-ndjson";

/** Methods of the engine itself that can be called over HTTP. */
export type OwnMethods = Omit<
  Engine,
  "jobs" | "close" | typeof Symbol.asyncDispose
>;

/** Methods of its queue; the others are of the process that has the base open, or stream a file. */
export type JobMethods = Omit<
  EngineJobs,
  "onChange" | "start" | "receive" | "submitFile"
>;

/** Every operation that can be called over HTTP, by name: those of the facade, and `jobs.` of its queue. */
export type Operations =
  & OwnMethods
  & { readonly [K in keyof JobMethods as `jobs.${K}`]: JobMethods[K] };

/** Name of an operation. */
export type OperationName = keyof Operations;

/** Leaves out of options what cannot be sent: a signal, a listener. */
export type Sendable<T> = T extends unknown
  ? "signal" extends keyof T ? Omit<T, "signal" | "onProgress"> : T
  : never;

/** Arguments of an operation as they are sent. */
export type Arguments<K extends OperationName> = SendableEach<
  Parameters<Operations[K]>
>;

/** {@linkcode Sendable} of each. */
export type SendableEach<A extends readonly unknown[]> = {
  [I in keyof A]: Sendable<A[I]>;
};

/** What an operation answers. */
export type Result<K extends OperationName> = Awaited<
  ReturnType<Operations[K]>
>;

/** An error as it is sent. */
export interface WireError {
  /** Code of a `KbError`; `range` for a `RangeError`, `internal` for a fault of the engine. */
  readonly code: string;
  /** Message. */
  readonly message: string;
  /** Details of a `KbError`. */
  readonly details?: Readonly<Record<string, string | number | boolean>>;
}

/** One line of an answer: any number of the first two, then one of the others. */
export type EngineLine =
  | { readonly alive: true }
  | { readonly progress: unknown }
  | { readonly result?: unknown }
  | { readonly error: WireError };

/** Key that marks bytes in base64. */
const BYTES = "$bytes";
/** Keys that could be taken for it, and what they are sent as: with one more `$`. */
const LIKE_BYTES = /^\$+bytes$/;

/**
 * Writes a value as JSON on one line; bytes in it become `{"$bytes": base64}`.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const value = { bytes: new Uint8Array([1, 2]), $bytes: "a text" };
 * assert.deepEqual(fromWire(toWire(value)), value);
 * ```
 */
export function toWire(value: unknown): string {
  return JSON.stringify(pack(value));
}

/**
 * Reads what {@linkcode toWire} wrote.
 *
 * @throws {SyntaxError} If it is no JSON.
 */
export function fromWire(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return text.includes(BYTES) ? unpack(value) : value;
}

/** Gives an object again with its bytes as text; the same one if it has none. */
function pack(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array) return { [BYTES]: toBase64(value) };
  if (Array.isArray(value)) return value.map(pack);
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      LIKE_BYTES.test(key) ? `$${key}` : key,
      pack(part),
    ]),
  );
}

function unpack(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(unpack);
  const entries = Object.entries(value);
  const [[key, bytes] = []] = entries;
  if (entries.length === 1 && key === BYTES && typeof bytes === "string") {
    return fromBase64(bytes);
  }
  return Object.fromEntries(
    entries.map(([key, part]) => [
      LIKE_BYTES.test(key) ? key.slice(1) : key,
      unpack(part),
    ]),
  );
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString("base64");
}

function fromBase64(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, "base64"));
}
