import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type RequestId,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { LIMITS } from "../core/mod.ts";

const listenSchema = z.looseObject({
  notifications: z.looseObject({
    resourceSubscriptions: z.array(z.string()).max(LIMITS.subscriptions)
      .optional(),
  }),
});
const cancelSchema = z.looseObject({
  requestId: z.union([z.string(), z.number()]),
});

/**
 * What the `subscriptions/listen` requests of a 2026-07-28 client ask for. The SDK answers them
 * itself and tells nobody, so they are read on the way in.
 */
export class Listens {
  readonly #byId = new Map<RequestId, readonly string[]>();
  readonly #onChange: (isListening: boolean) => void;
  readonly #onMore: () => void;

  /** Calls `onChange` when the first listen comes and when the last one goes, `onMore` at others. */
  constructor(
    onChange: (isListening: boolean) => void = () => {},
    onMore: () => void = () => {},
  ) {
    this.#onChange = onChange;
    this.#onMore = onMore;
  }

  /** Resources the client wants to hear of, by URI. */
  get uris(): ReadonlySet<string> {
    return new Set([...this.#byId.values()].flat());
  }

  /** Looks at a message that came in over a connection. */
  observe(message: JSONRPCMessage): void {
    if (
      isJSONRPCRequest(message) && message.method === "subscriptions/listen"
    ) {
      this.#open(message.id, message.params);
    } else if (
      isJSONRPCNotification(message) &&
      message.method === "notifications/cancelled"
    ) {
      const { requestId } = cancelSchema.safeParse(message.params).data ?? {};
      if (requestId !== undefined) this.#close(requestId);
    }
  }

  /**
   * Notes a listen with a stream of its own.
   *
   * @param params Parameters of the request.
   * @returns What to call when the stream ends.
   */
  hold(params: unknown): () => void {
    // Clients that do not know each other use the same ids.
    const id = crypto.randomUUID();
    this.#open(id, params);
    return () => this.#close(id);
  }

  #open(id: RequestId, params: unknown): void {
    const parsed = listenSchema.safeParse(params);
    if (!parsed.success || this.#byId.size >= LIMITS.subscriptions) return;
    this.#byId.set(id, parsed.data.notifications.resourceSubscriptions ?? []);
    if (this.#byId.size === 1) this.#onChange(true);
    else this.#onMore();
  }

  #close(id: RequestId): void {
    if (this.#byId.delete(id) && this.#byId.size === 0) this.#onChange(false);
  }
}
