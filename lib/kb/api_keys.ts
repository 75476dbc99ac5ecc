import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { KbError, LIMITS, sha256Hex } from "../core/mod.ts";
import {
  type ApiKeyRow,
  deleteApiKey,
  listApiKeys,
  openStore,
  putApiKey,
  type Store,
  touchApiKey,
} from "../store/mod.ts";
import { DATABASE } from "./base_files.ts";

/** What a key may do; each may do what those before it may. */
export type KeyScope = ApiKeyRow["scope"];

/** A key of the base as lists show it. */
export type ApiKey = Omit<ApiKeyRow, "digest">;

/** A key as a server compares it. */
export interface StoredKey {
  /** SHA-256 of the key. */
  readonly digest: Uint8Array;
  /** What it may do. */
  readonly scope: KeyScope;
  /** Its name. */
  readonly name: string;
}

/** How to open the keys of a base. */
export interface ApiKeysOptions {
  /** Whether use is not noted, as on a server that writes nothing. */
  readonly readOnly?: boolean;
  /** Most time to wait for another writer, in ms; a server waits for none. */
  readonly busyTimeoutMs?: number;
  /** Current time in ISO 8601 UTC. */
  readonly now?: () => string;
}

const KEY_BYTES = 32;
/** A key says what it is, so that it is recognised where it should not be. */
const KEY_PREFIX = "kbdb_";
/** The time of use is noted at most this often. */
const TOUCH_MS = 60_000;

/**
 * Opens the named keys kept in a base, of which it holds digests only.
 *
 * @param dir Directory of the base.
 */
export function openApiKeys(
  dir: string,
  { readOnly = false, ...options }: ApiKeysOptions = {},
): ApiKeys {
  return new ApiKeys(openStore(join(dir, DATABASE), options), readOnly);
}

/** The named keys of a base. What one process changes holds for all others at once. */
export class ApiKeys implements Disposable {
  readonly #store: Store;
  readonly #readOnly: boolean;
  readonly #touchedMs = new Map<string, number>();

  /** Wraps an open store of its own; use {@linkcode openApiKeys}. */
  constructor(store: Store, readOnly: boolean) {
    this.#store = store;
    this.#readOnly = readOnly;
  }

  /**
   * Makes a key.
   *
   * @returns The key itself, which is not kept and cannot be shown again.
   * @throws {KbError} `invalid_input` for a name that is none; `conflict` if the name is taken.
   */
  create(
    name: string,
    scope: KeyScope,
  ): { readonly key: string; readonly info: ApiKey } {
    const title = name.trim();
    if (
      title === "" || title.length > LIMITS.tagChars || /\p{Cc}/u.test(title)
    ) {
      throw new KbError(
        "invalid_input",
        `Cannot use "${
          title.slice(0, 80).toWellFormed()
        }" as the name of a key: must be 1 to ${LIMITS.tagChars} characters on one line`,
      );
    }
    const key = KEY_PREFIX + randomBytes(KEY_BYTES).toString("base64url");
    const info: ApiKey = {
      name: title,
      scope,
      createdAt: this.#store.now(),
      lastUsedAt: null,
    };
    this.#store.write(() => {
      const known = listApiKeys(this.#store);
      if (known.some((other) => other.name === title)) {
        throw new KbError(
          "conflict",
          `There is a key "${title}" already; revoke it first, or choose another name`,
          { details: { name: title } },
        );
      }
      if (known.length >= LIMITS.apiKeys) {
        throw new KbError(
          "conflict",
          `There are ${known.length} keys, which is the limit; revoke one first`,
        );
      }
      putApiKey(this.#store, { ...info, digest: sha256Hex(key) });
    });
    return { key, info };
  }

  /** Lists the keys, A to Z. */
  list(): ApiKey[] {
    return listApiKeys(this.#store).map(({ digest: _, ...info }) => info);
  }

  /**
   * Makes a key worthless, for servers that run too.
   *
   * @throws {KbError} `not_found` if there is none of that name.
   */
  revoke(name: string): void {
    if (this.#store.write(() => deleteApiKey(this.#store, name))) return;
    const known = this.list().map((info) => info.name);
    throw new KbError(
      "not_found",
      `There is no key "${name}"${
        known.length === 0 ? "" : `; there is: ${known.join(", ")}`
      }`,
      { details: { name } },
    );
  }

  /** Lists the keys as a server compares them, as they are now. */
  read(): StoredKey[] {
    return listApiKeys(this.#store).map(({ digest, scope, name }) => ({
      digest: Buffer.from(digest, "hex"),
      scope,
      name,
    }));
  }

  /** Notes that a key was used, now and then; a base that is busy is not waited for. */
  touch(name: string): void {
    const nowMs = Date.parse(this.#store.now());
    const dueMs = (this.#touchedMs.get(name) ?? -Infinity) + TOUCH_MS;
    if (this.#readOnly || nowMs < dueMs) return;
    try {
      touchApiKey(this.#store, name, this.#store.now());
      this.#touchedMs.set(name, nowMs);
    } catch (error) {
      if (!(error instanceof KbError && error.code === "busy")) throw error;
    }
  }

  /** Closes its connection to the base. */
  close(): void {
    this.#store.close();
  }

  /** Same as {@linkcode ApiKeys.close}. */
  [Symbol.dispose](): void {
    this.close();
  }
}
