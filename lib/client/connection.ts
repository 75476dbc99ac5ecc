import { Buffer } from "node:buffer";
import type { Agent, ClientRequest, IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { KbError, LIMITS } from "../core/mod.ts";
import type { EngineAddress } from "./address.ts";
import { statusError, transportError } from "./errors.ts";

/** An answer says every ten seconds that it will come; one that is silent so long will not. */
const SILENT_MS = 60_000;
const SILENT = "it went silent";
/** Longest error that is read. */
const ERROR_CHARS = 64 * 1024;

/** What is sent. */
export interface Request {
  /** Path below the address. */
  readonly path: string;
  /** `GET` without a body, else `POST`. */
  readonly body?: string | AsyncIterable<Uint8Array>;
  /** Ends the call. */
  readonly signal?: AbortSignal | undefined;
}

/** A request and its answer. */
interface Exchange {
  readonly sent: ClientRequest;
  readonly response: IncomingMessage;
}

/** Connections to one engine, so many at once. */
export class Connection {
  readonly #address: EngineAddress;
  readonly #base: URL;
  #agent: Agent | undefined;
  #isClosed = false;

  /** Takes where the engine is; nothing is sent yet. */
  constructor(address: EngineAddress) {
    this.#address = address;
    this.#base = new URL(
      "url" in address
        ? address.url
        : "port" in address
        ? `http://127.0.0.1:${address.port}`
        : "http://localhost",
    );
  }

  /** Where the engine is. */
  get address(): EngineAddress {
    return this.#address;
  }

  /**
   * Sends a request and gives the lines of the answer as they come.
   *
   * @throws {KbError} `unreachable` if there is no engine, or it goes silent; `forbidden` if the key is not right;
   * `cancelled` if `signal` aborts; what the engine refuses it with.
   */
  async *lines(request: Request): AsyncGenerator<string> {
    const { response, sent } = await this.#send(request);
    const { statusCode = 0 } = response;
    if (statusCode !== 200) {
      const body = await readAll(response, ERROR_CHARS).catch(() => "");
      throw statusError(statusCode, body, this.#address);
    }
    const broken = Promise.withResolvers<never>();
    broken.promise.catch(() => {});
    function breakOff(error: Error): void {
      // Not the answer, whose end before its time is an unhandled error in Deno 2.4.
      sent.destroy();
      broken.reject(error);
    }
    const stop = () => breakOff(cancelled());
    request.signal?.addEventListener("abort", stop, { once: true });
    if (request.signal?.aborted === true) stop();
    response.setTimeout(SILENT_MS, () => breakOff(new Error(SILENT)));
    const lines = toLines(response);
    try {
      for (;;) {
        const next = lines.next();
        // One that comes after the call was broken off is of no interest.
        next.catch(() => {});
        const { done, value } = await Promise.race([next, broken.promise]);
        if (done === true) return;
        yield value;
      }
    } catch (error) {
      throw this.#toError(error, request.signal);
    } finally {
      request.signal?.removeEventListener("abort", stop);
    }
  }

  /** Sends nothing more; a call under way goes on. */
  close(): void {
    this.#isClosed = true;
  }

  async #send(request: Request): Promise<Exchange> {
    const { signal, body } = request;
    if (this.#isClosed) throw new TypeError("The connection is closed");
    if (signal?.aborted === true) throw cancelled();
    // Loaded late: a command that needs no engine starts without them.
    const { protocol, pathname } = this.#base;
    const isSecure = protocol === "https:";
    const { Agent, request: open } =
      await (isSecure ? import("node:https") : import("node:http"));
    // A connection a call, as to end one that is kept open is an unhandled error in Deno 2.4 too.
    this.#agent ??= new Agent({
      keepAlive: false,
      maxSockets: LIMITS.engineCalls,
    }) as Agent;
    const text = typeof body === "string" ? body : undefined;
    const path = `${pathname.replace(/\/$/, "")}${request.path}`;
    return await new Promise<Exchange>((resolve, reject) => {
      const fail = (error: unknown) => reject(this.#toError(error, signal));
      try {
        const sent = open({
          ...this.#where(),
          ...(this.#agent === undefined ? {} : { agent: this.#agent }),
          method: body === undefined ? "GET" : "POST",
          path,
          headers: {
            ...this.#authorization(),
            ...(body === undefined ? {} : {
              "Content-Type": text === undefined
                ? "application/octet-stream"
                : "application/json",
            }),
            ...(text === undefined
              ? {}
              : { "Content-Length": String(Buffer.byteLength(text)) }),
          },
        });
        watch(sent, { signal, resolve, fail });
        if (text !== undefined || body === undefined) sent.end(text);
        else void pipe(body as AsyncIterable<Uint8Array>, sent, fail);
      } catch (error) {
        // Deno refuses at once what it is not allowed.
        fail(error);
      }
    });
  }

  #where(): Record<string, string | number> {
    if ("socketPath" in this.#address) {
      return { socketPath: this.#address.socketPath };
    }
    const { hostname, port, protocol } = this.#base;
    return {
      host: hostname.replace(/^\[|\]$/g, ""),
      port: port === "" ? (protocol === "https:" ? 443 : 80) : Number(port),
    };
  }

  #authorization(): Record<string, string> {
    const key = "key" in this.#address ? this.#address.key : undefined;
    return key === undefined ? {} : { Authorization: `Bearer ${key}` };
  }

  #toError(error: unknown, signal: AbortSignal | undefined): unknown {
    if (signal?.aborted === true) return cancelled();
    return transportError(error, this.#address);
  }
}

/** Waits for the head of the answer, unless the engine is silent too long or the call is not wanted any more. */
function watch(
  sent: ClientRequest,
  { signal, resolve, fail }: {
    readonly signal: AbortSignal | undefined;
    readonly resolve: (exchange: Exchange) => void;
    readonly fail: (error: unknown) => void;
  },
): void {
  function stop(): void {
    sent.destroy(cancelled());
  }
  signal?.addEventListener("abort", stop, { once: true });
  sent.setTimeout(
    SILENT_MS,
    () => sent.destroy(new Error(SILENT)),
  );
  sent.on("error", (error) => {
    signal?.removeEventListener("abort", stop);
    fail(error);
  });
  sent.on("response", (response) => {
    signal?.removeEventListener("abort", stop);
    // Before whoever reads it listens, an error would end the process.
    response.on("error", () => {});
    resolve({ response, sent });
  });
}

/** Sends a body as it comes. */
async function pipe(
  body: AsyncIterable<Uint8Array>,
  sent: ClientRequest,
  fail: (error: unknown) => void,
): Promise<void> {
  try {
    for await (const part of body) {
      if (sent.destroyed) return;
      if (!sent.write(part)) {
        await new Promise<void>((resolve) => {
          sent.once("drain", resolve);
          sent.once("close", resolve);
        });
      }
    }
    sent.end();
  } catch (error) {
    sent.destroy();
    fail(error);
  }
}

async function* toLines(response: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let held: string[] = [];
  let heldChars = 0;
  for await (const part of response) {
    let rest = decoder.decode(part as Uint8Array, { stream: true });
    for (;;) {
      const end = rest.indexOf("\n");
      const piece = end === -1 ? rest : rest.slice(0, end);
      held.push(piece);
      heldChars += piece.length;
      if (heldChars > LIMITS.engineLineChars) {
        throw new Error(
          `it has more than ${LIMITS.engineLineChars} characters`,
        );
      }
      if (end === -1) break;
      yield held.join("");
      held = [];
      heldChars = 0;
      rest = rest.slice(end + 1);
    }
  }
  if (heldChars > 0) yield held.join("");
}

async function readAll(response: Readable, maxChars: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const part of response) {
    text += decoder.decode(part as Uint8Array, { stream: true });
    if (text.length > maxChars) break;
  }
  return text;
}

function cancelled(): KbError {
  return new KbError("cancelled", "The call was stopped");
}
