import { createHash, timingSafeEqual } from "node:crypto";
import { KbError } from "../core/mod.ts";
import type { KeyScope } from "../kb/mod.ts";

/** Each may do what those before it may. */
const SCOPES: readonly Scope[] = ["read", "write", "admin"];

/** What a key may do. */
export type Scope = KeyScope;

/** A key as the server keeps it: never the key itself. */
export interface ServerKey {
  /** SHA-256 of the key. */
  readonly digest: Uint8Array;
  /** What it may do. */
  readonly scope: Scope;
  /** Its name, if it is one of the base. */
  readonly name?: string;
}

/** Keys that may change while a server runs. */
export interface KeySource {
  /** The keys as they are now. */
  read(): readonly ServerKey[];
  /** Notes that the key of that name was used. */
  touch(name: string): void;
}

/** Shortest key that is taken, in characters. */
const KEY_CHARS_MIN = 8;

/**
 * Reads keys as the environment gives them: `key[:read|write|admin]`, separated by commas. A key without scope
 * may do everything.
 *
 * @returns One entry a key; `[]` for a blank text.
 * @throws {KbError} `invalid_input` if a key is too short; the text does not show it.
 */
export function parseKeys(text: string, name: string): ServerKey[] {
  return text.split(",").map((part) => part.trim()).filter((part) =>
    part !== ""
  ).map((part, index) => {
    const [, key = part, scope = "admin"] =
      /^(.*):(read|write|admin)$/.exec(part) ?? [];
    if (key.length < KEY_CHARS_MIN) {
      throw new KbError(
        "invalid_input",
        `Cannot use key ${
          index + 1
        } of ${name}: it has ${key.length} characters, the least is ${KEY_CHARS_MIN}`,
      );
    }
    return { digest: digestOf(key), scope: scope as Scope };
  });
}

function digestOf(key: string): Uint8Array {
  return createHash("sha256").update(key).digest();
}

/** Finds a key; takes as long for a wrong one as for a right one. */
export function findKey(
  keys: readonly ServerKey[],
  key: string,
): ServerKey | undefined {
  const digest = digestOf(key);
  let found: ServerKey | undefined;
  for (const known of keys) {
    if (timingSafeEqual(known.digest, digest)) found = known;
  }
  return found;
}

/** Says whether a scope is enough. */
export function allows(scope: Scope, needed: Scope): boolean {
  return SCOPES.indexOf(scope) >= SCOPES.indexOf(needed);
}

/** Reads the key of an `Authorization` header; `undefined` if there is none of that form. */
export function readBearer(header: string | undefined): string | undefined {
  return /^Bearer +([A-Za-z0-9._~+/=-]+)$/i.exec(header ?? "")?.[1];
}
