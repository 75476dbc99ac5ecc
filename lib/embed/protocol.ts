import type { ResolvedModel } from "./registry.ts";
import type { Device } from "./types.ts";

/** What the client sends. A worker has at most one text at a time. */
export type ToWorker =
  | {
    readonly type: "load";
    readonly model: ResolvedModel;
    readonly device: Device;
  }
  | {
    readonly type: "embed";
    readonly text: string;
    readonly role: "query" | "passage";
  };

/** What the worker answers, exactly one to each message. */
export type FromWorker =
  | { readonly type: "ready" }
  | { readonly type: "unavailable"; readonly message: string }
  | {
    readonly type: "vector";
    /** Unit length. */
    readonly vector: Float32Array;
    /** Whether the text was longer than the window. */
    readonly cut: boolean;
  }
  | { readonly type: "failed"; readonly message: string };

/** The end of a worker's channel that the worker holds. */
export interface WorkerPort {
  /** Calls `listener` for each message from the client. */
  on(event: "message", listener: (message: ToWorker) => void): unknown;
  /** Answers the client. */
  postMessage(message: FromWorker): void;
}
