import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  parseJSONRPCMessage,
  type RequestId,
  type Transport,
} from "@modelcontextprotocol/server";
import { LIMITS } from "../core/mod.ts";

/** Where a {@linkcode LineTransport} writes: a stream of Node fits. */
export interface LineSink {
  /** Writes a text; `false` asks for a pause until `drain`. */
  write(text: string): unknown;
  /** Waits for room. */
  once?(event: "drain", listener: () => void): unknown;
}

/** How a {@linkcode LineTransport} treats what comes in. */
export interface LineTransportOptions {
  /** Sees every message before the server does. */
  readonly onInbound?: (message: JSONRPCMessage) => void;
  /** Most time for requests under way once the input has ended; default 1200. */
  readonly lingerMs?: number;
}

const LINGER_MS = 1_200;
const NEWLINE = 10;

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const SERVER_BUSY = -32000;

/**
 * JSON-RPC over two streams, one message a line.
 *
 * What cannot be read is answered with an error and passed over, and the connection goes on. When
 * the input ends, requests under way are answered before the transport closes.
 */
export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];

  /** Resolves when the transport has closed. */
  readonly closed: Promise<void>;

  readonly #input: AsyncIterable<string | Uint8Array>;
  readonly #sink: LineSink;
  readonly #options: LineTransportOptions;
  /** Requests that have no answer yet. */
  readonly #open = new Set<RequestId>();
  readonly #onClosed: () => void;
  #isInitialized = false;
  #isClosed = false;
  #onIdle: (() => void) | undefined;
  #drained: Promise<void> | undefined;

  /** Reads from one stream, writes to another; it owns neither. */
  constructor(
    input: AsyncIterable<string | Uint8Array>,
    sink: LineSink,
    options: LineTransportOptions = {},
  ) {
    this.#input = input;
    this.#sink = sink;
    this.#options = options;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    this.#onClosed = resolve;
  }

  /** Begins to read. */
  start(): Promise<void> {
    this.#readAll().catch((error: unknown) => {
      if (!this.#isClosed) this.onerror?.(toError(error));
    }).finally(() => this.close());
    return Promise.resolve();
  }

  /** Writes one message. */
  send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) {
      return Promise.reject(new Error("The connection is closed"));
    }
    if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) {
      if (message.id !== undefined) this.#settle(message.id);
    }
    return this.#write(message);
  }

  /** Stops reading and writing. */
  close(): Promise<void> {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.#onIdle?.();
      this.onclose?.();
      this.#onClosed();
    }
    return Promise.resolve();
  }

  async #readAll(): Promise<void> {
    for await (const line of toLines(this.#input, LIMITS.messageBytes)) {
      if (this.#isClosed) return;
      if (line === "too long") {
        await this.#refuse(
          null,
          INVALID_REQUEST,
          `The message is longer than ${LIMITS.messageBytes} bytes`,
        );
      } else if (line.trim() !== "") await this.#receive(line);
      // A client that does not read its answers is not read from either.
      await this.#drained;
    }
    await this.#whenIdle(this.#options.lingerMs ?? LINGER_MS);
  }

  async #receive(line: string): Promise<void> {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch (error) {
      this.onerror?.(toError(error));
      await this.#refuse(null, PARSE_ERROR, "Parse error: this is not JSON");
      return;
    }
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(value);
    } catch (error) {
      this.onerror?.(toError(error));
      await this.#refuse(
        idOf(value),
        INVALID_REQUEST,
        Array.isArray(value)
          ? "Invalid request: batches are not supported, send one message a line"
          : "Invalid request: this is no JSON-RPC 2.0 message with an id that is a string or number",
      );
      return;
    }
    if (isJSONRPCRequest(message) && !await this.#admit(message)) return;
    const cancelled = cancelledId(message);
    if (cancelled !== undefined) this.#settle(cancelled);
    this.#options.onInbound?.(message);
    this.onmessage?.(message);
  }

  /** Notes a request that is to be answered; refuses one that must not come now. */
  async #admit(
    { id, method, params }: JSONRPCMessage & {
      readonly id: RequestId;
      readonly method: string;
      readonly params?: unknown;
    },
  ): Promise<boolean> {
    // From 2026-07-28 on there is no handshake: each request says its revision.
    this.#isInitialized ||= method === "initialize" || hasEnvelope(params);
    if (!this.#isInitialized && method !== "ping") {
      await this.#refuse(
        id,
        INVALID_REQUEST,
        `Cannot answer ${method}: send initialize first`,
      );
      return false;
    }
    if (this.#open.size >= LIMITS.requestsUnderWay) {
      await this.#refuse(
        id,
        SERVER_BUSY,
        `Busy: ${this.#open.size} requests are under way; try again when some are answered`,
      );
      return false;
    }
    if (method !== "subscriptions/listen") this.#open.add(id);
    return true;
  }

  #settle(id: RequestId): void {
    this.#open.delete(id);
    if (this.#open.size === 0) this.#onIdle?.();
  }

  async #whenIdle(timeoutMs: number): Promise<void> {
    if (this.#open.size === 0 || this.#isClosed) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #refuse(
    id: RequestId | null,
    code: number,
    message: string,
  ): Promise<void> {
    return this.#write({ jsonrpc: "2.0", id, error: { code, message } });
  }

  #write(message: object): Promise<void> {
    const hasRoom = this.#sink.write(JSON.stringify(message) + "\n");
    if (hasRoom === false && this.#sink.once !== undefined) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#sink.once("drain", resolve);
      this.#drained = promise;
    }
    return Promise.resolve();
  }
}

/** Cuts a stream into lines; one that is too long is passed over and said to be so. */
async function* toLines(
  input: AsyncIterable<string | Uint8Array>,
  maxBytes: number,
): AsyncGenerator<string> {
  const encoder = new TextEncoder();
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  for await (const part of input) {
    let rest = typeof part === "string" ? encoder.encode(part) : part;
    for (;;) {
      const end = rest.indexOf(NEWLINE);
      const piece = end === -1 ? rest : rest.subarray(0, end);
      heldBytes += piece.length;
      if (heldBytes <= maxBytes) held.push(piece);
      else held = [];
      if (end === -1) break;
      yield heldBytes <= maxBytes ? decode(held, heldBytes) : "too long";
      held = [];
      heldBytes = 0;
      rest = rest.subarray(end + 1);
    }
  }
  if (heldBytes > 0) {
    yield heldBytes <= maxBytes ? decode(held, heldBytes) : "too long";
  }
}

function decode(parts: readonly Uint8Array[], bytes: number): string {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) {
    return new TextDecoder().decode(only);
  }
  const all = new Uint8Array(bytes);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return new TextDecoder().decode(all);
}

/** The request a client takes back, which then gets no answer. */
function cancelledId(message: JSONRPCMessage): RequestId | undefined {
  if (
    !isJSONRPCNotification(message) ||
    message.method !== "notifications/cancelled"
  ) return undefined;
  return idOf({ id: message.params?.["requestId"] }) ?? undefined;
}

function hasEnvelope(params: unknown): boolean {
  if (typeof params !== "object" || params === null) return false;
  const meta = "_meta" in params ? params._meta : undefined;
  return typeof meta === "object" && meta !== null &&
    "io.modelcontextprotocol/protocolVersion" in meta;
}

/** The id of something that is no message; `null` if it cannot be told. */
function idOf(value: unknown): RequestId | null {
  if (typeof value !== "object" || value === null || !("id" in value)) {
    return null;
  }
  const { id } = value;
  return typeof id === "string" || typeof id === "number" ? id : null;
}

function toError(value: unknown): Error {
  return value instanceof Error ? value : new Error(String(value));
}
