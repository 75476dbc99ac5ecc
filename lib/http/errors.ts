import { KbError, type KbErrorCode } from "../core/mod.ts";

/** Status of each operating error. */
export const STATUSES: Readonly<Record<KbErrorCode, number>> = {
  invalid_input: 400,
  invalid_query: 400,
  not_found: 404,
  conflict: 409,
  unsupported_type: 415,
  busy: 503,
  model_unavailable: 503,
  cancelled: 499,
  corrupt: 500,
  forbidden: 403,
  unreachable: 502,
  incompatible: 502,
};

/** Status of errors whose `details.reason` says more than the code. */
const REASON_STATUSES: Readonly<Record<string, number>> = {
  too_large: 413,
  too_slow: 408,
  not_a_note: 422,
};

/** Body of every error. */
export interface ErrorBody {
  /** The error. */
  readonly error: {
    /** For code to branch on. */
    readonly code: string;
    /** What was attempted, and the fact that stopped it. */
    readonly message: string;
    /** Machine-readable facts. */
    readonly details: Readonly<Record<string, string | number | boolean>>;
  };
  /** The message again, for clients of the engine's first API. */
  readonly detail: string;
}

/** Makes an error answer. */
export function errorResponse(
  status: number,
  { code, message, details = {} }: {
    readonly code: string;
    readonly message: string;
    readonly details?: ErrorBody["error"]["details"];
  },
  headers: Readonly<Record<string, string>> = {},
): Response {
  const body: ErrorBody = {
    error: { code, message, details },
    detail: message,
  };
  return Response.json(body, { status, headers });
}

/** Turns what a handler threw into an answer; a fault of kbdb says nothing of its insides. */
export function toErrorResponse(error: unknown): Response {
  if (!(error instanceof KbError)) {
    return errorResponse(500, {
      code: "internal",
      message: "This is a fault of the server; its log says more",
    });
  }
  const { code, message, details } = error;
  const status = STATUSES[code];
  return errorResponse(
    REASON_STATUSES[String(details["reason"])] ?? status,
    { code, message, details },
    status === 503 ? { "Retry-After": "1" } : {},
  );
}
