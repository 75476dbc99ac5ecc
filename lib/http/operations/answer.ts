import { KbError } from "../../core/mod.ts";
import {
  ENGINE_MEDIA,
  type EngineLine,
  toWire,
  type WireError,
} from "../../wire/mod.ts";
import type { OperationCall } from "./operation.ts";

/** How often an answer that is not ready says that it will come. */
const ALIVE_MS = 10_000;
/** Least time between two reports on where the work stands. */
const PROGRESS_MS = 100;

/** How to answer one call. */
export interface AnswerCallOptions {
  /** Aborts when the client leaves. */
  readonly gone: AbortSignal;
  /** Aborts when the server is about to stop. */
  readonly stopping: AbortSignal;
  /** Takes a fault of kbdb; the answer says nothing of it. */
  readonly onFault: (error: unknown) => void;
}

/**
 * Answers a call line by line: where the work stands, then what it came to. A client that goes away ends the work.
 *
 * @param run Does the work.
 * @param options What ends it.
 */
export function answerCall(
  run: (call: OperationCall) => unknown,
  { gone, stopping, onFault }: AnswerCallOptions,
): Response {
  const left = new AbortController();
  const signal = AbortSignal.any([gone, left.signal]);
  const encoder = new TextEncoder();
  let timer: ReturnType<typeof setInterval> | undefined;
  const body = new ReadableStream<Uint8Array>({
    async start(controller): Promise<void> {
      function send(line: EngineLine): void {
        // A client that has left takes nothing any more.
        if (signal.aborted) return;
        controller.enqueue(encoder.encode(toWire(line) + "\n"));
      }
      timer = setInterval(() => send({ alive: true }), ALIVE_MS);
      send(await runToLine(() => run(toCall(signal, stopping, send)), onFault));
      clearInterval(timer);
      if (!left.signal.aborted) controller.close();
    },
    cancel(): void {
      clearInterval(timer);
      left.abort();
    },
  });
  return new Response(body, {
    headers: { "Content-Type": ENGINE_MEDIA, "X-Accel-Buffering": "no" },
  });
}

/** What an operation may do while it runs. */
function toCall(
  signal: AbortSignal,
  stopping: AbortSignal,
  send: (line: EngineLine) => void,
): OperationCall {
  let toldMs = -Infinity;
  return {
    signal,
    long: {
      signal: AbortSignal.any([signal, stopping]),
      onProgress(progress): void {
        const nowMs = performance.now();
        const isEnd = progress.done >= progress.total;
        if (!isEnd && nowMs - toldMs < PROGRESS_MS) return;
        toldMs = nowMs;
        send({ progress });
      },
    },
  };
}

async function runToLine(
  run: () => unknown,
  onFault: (error: unknown) => void,
): Promise<EngineLine> {
  try {
    return { result: await run() };
  } catch (error) {
    return { error: toWireError(error, onFault) };
  }
}

function toWireError(
  error: unknown,
  onFault: (error: unknown) => void,
): WireError {
  if (error instanceof KbError) {
    const { code, message, details } = error;
    return { code, message, details };
  }
  if (error instanceof RangeError) {
    return { code: "range", message: error.message };
  }
  onFault(error);
  return {
    code: "internal",
    message: "This is a fault of the engine; its log says more",
  };
}
