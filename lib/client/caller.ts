import { KbError } from "../core/mod.ts";
import {
  type Arguments,
  ENGINE_PATH,
  fromWire,
  type OperationName,
  type Result,
  STOP_PATH,
  toWire,
} from "../wire/mod.ts";
import type { EngineAddress } from "./address.ts";
import { Connection, type Request } from "./connection.ts";
import { engineError, foreignError, isWireError } from "./errors.ts";
import { toSentPath } from "./sent_path.ts";
import { checkVersion, MIN_ENGINE_VERSION } from "./version.ts";

/** What the lines of an answer hold, one each. */
const LINE_KEYS: ReadonlySet<string> = new Set([
  "alive",
  "error",
  "progress",
  "result",
]);
/** Codes of errors after which the engine is asked for its version again. */
const LOST: ReadonlySet<string> = new Set(["unreachable", "incompatible"]);

/** What a call may do besides waiting. */
export interface CallOptions {
  /** Ends the call, and the work of the engine. */
  readonly signal?: AbortSignal | undefined;
  /** Called as the work goes on. */
  readonly onProgress?: ((progress: never) => void) | undefined;
}

/** Calls the operations of an engine. */
export class Caller {
  readonly #connection: Connection;
  readonly #version: string;
  readonly #leastVersion: string;
  readonly #cwd: string | undefined;
  #check: Promise<void> | undefined;

  /** Takes where the engine is and the version of this kbdb. */
  constructor(
    address: EngineAddress,
    { version, leastVersion = MIN_ENGINE_VERSION, cwd }: {
      readonly version: string;
      readonly leastVersion?: string | undefined;
      readonly cwd?: string | undefined;
    },
  ) {
    this.#connection = new Connection(address);
    this.#version = version;
    this.#leastVersion = leastVersion;
    this.#cwd = cwd;
  }

  /** Where the engine is. */
  get address(): EngineAddress {
    return this.#connection.address;
  }

  /** Calls an operation; `signal` and `onProgress` are taken from its last options, and not sent. */
  async call<K extends OperationName>(
    name: K,
    args: Arguments<K>,
    options: CallOptions = {},
  ): Promise<Result<K>> {
    const ask = async (given: readonly unknown[]) =>
      await this.#ask<Result<K>>({
        path: `${ENGINE_PATH}/${name}`,
        body: toWire({ args: dropLastUndefined(given) }),
        signal: options.signal,
      }, options);
    try {
      return await ask(args);
    } catch (error) {
      const [ref, ...rest] = args as readonly unknown[];
      const sent = this.#toSent(ref, error);
      if (sent === undefined) throw error;
      return await ask([sent, ...rest]).catch(() => {
        throw error;
      });
    }
  }

  /** The other name of a document that was not found by a reference, if that may be a path of this machine. */
  #toSent(ref: unknown, error: unknown): string | undefined {
    if (this.#cwd === undefined || typeof ref !== "string") return undefined;
    // An id that is gone must not be taken for a folder of that name, with all that is in it.
    if (/^\d+$/.test(ref)) return undefined;
    const isMissing = error instanceof KbError && error.code === "not_found" &&
      error.details["ref"] === ref;
    const sent = toSentPath(ref, this.#cwd);
    return isMissing && sent !== ref && sent !== "" ? sent : undefined;
  }

  /** Sends a file as it comes. */
  async send<T>(
    path: string,
    body: AsyncIterable<Uint8Array>,
    options: CallOptions = {},
  ): Promise<T> {
    return await this.#ask<T>({ path, body, signal: options.signal }, options);
  }

  /**
   * Asks the engine whether it lives.
   *
   * @throws {KbError} `unreachable` if it does not; `cancelled` if it takes longer than `signal` waits.
   */
  async ping(signal: AbortSignal): Promise<void> {
    for await (
      const _ of this.#connection.lines({ path: "/health", signal })
    );
  }

  /** Asks an engine of this user to stop. */
  async stopEngine(signal: AbortSignal): Promise<void> {
    const request = { path: STOP_PATH, body: "{}", signal };
    for await (const _ of this.#connection.lines(request));
  }

  /** Closes the connection. */
  close(): void {
    this.#connection.close();
  }

  async #ask<T>(request: Request, { onProgress }: CallOptions): Promise<T> {
    await this.#checkOnce();
    try {
      return await this.#read<T>(request, onProgress);
    } catch (error) {
      // Another engine may listen there next time.
      if (error instanceof KbError && LOST.has(error.code)) {
        this.#check = undefined;
      }
      throw error;
    }
  }

  async #read<T>(
    request: Request,
    onProgress: CallOptions["onProgress"],
  ): Promise<T> {
    let end:
      | { readonly result: unknown }
      | { readonly error: Error }
      | undefined;
    // Read to its end: to break off is an unhandled error in Deno 2.4.
    for await (const line of this.#connection.lines(request)) {
      const value = readLine(line);
      if (value === undefined) end = { error: foreignError(this.address) };
      else if (isWireError(value["error"])) {
        end = { error: engineError(value["error"], this.address) };
      } else if ("progress" in value) onProgress?.(value["progress"] as never);
      else if (!("alive" in value)) end = { result: value["result"] };
    }
    if (end !== undefined) {
      if ("error" in end) throw end.error;
      return end.result as T;
    }
    throw new KbError(
      "unreachable",
      "The engine ended before its answer did: try again",
    );
  }

  /** Compares versions before the first call; an engine that is away is left to the call itself. */
  #checkOnce(): Promise<void> {
    if ("isPrivate" in this.address) return Promise.resolve();
    this.#check ??= this.#checkEngine().catch((error: unknown) => {
      this.#check = undefined;
      throw error;
    });
    return this.#check;
  }

  async #checkEngine(): Promise<void> {
    let body = "";
    try {
      for await (
        const line of this.#connection.lines({ path: "/api/v1/status" })
      ) body += line;
    } catch (error) {
      const isAway = error instanceof KbError && error.code === "unreachable";
      if (!isAway) throw error;
      // The call says so; a server of long life asks again once the engine is there.
      this.#check = undefined;
      return;
    }
    checkVersion(readVersion(body), {
      client: this.#version,
      least: this.#leastVersion,
    });
  }
}

/** Reads a line of an answer; `undefined` if no engine wrote it. A call without a result ends with an empty object. */
function readLine(line: string): Record<string, unknown> | undefined {
  let value: unknown;
  try {
    value = fromWire(line);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const isOurs = Object.keys(value).every((key) => LINE_KEYS.has(key));
  return isOurs ? value as Record<string, unknown> : undefined;
}

function readVersion(body: string): string | undefined {
  try {
    const version: unknown = JSON.parse(body)?.version;
    return typeof version === "string" ? version : undefined;
  } catch {
    return undefined;
  }
}

/** What is left out at the end is not sent, as JSON has no word for it. */
function dropLastUndefined(args: readonly unknown[]): readonly unknown[] {
  const count = args.findLastIndex((arg) => arg !== undefined) + 1;
  return args.slice(0, count);
}
