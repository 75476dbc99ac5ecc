import { KbError, type KbErrorCode } from "../core/mod.ts";
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { McpBase } from "./base.ts";

/** Ids an answer offers in place of one that is not there. */
const NEAR_IDS = 3;
/** Characters an id must begin with alike to be offered. */
const NEAR_PREFIX_CHARS = 4;

/** What to add to the message of an error, so that an agent knows what to do. */
const ADVICE: Readonly<Record<KbErrorCode, string>> = {
  invalid_input: "",
  invalid_query: "",
  not_found: "",
  conflict: "",
  unsupported_type: "",
  model_unavailable: "",
  busy: "Another process is writing to the base; try again in a few seconds.",
  cancelled: "",
  corrupt:
    "Call check to see what is damaged; rebuild mends all that can be made anew.",
  forbidden: "",
  unreachable: "",
  incompatible: "",
};

/** JSON-RPC codes of errors outside tools. */
const CODES: Readonly<Record<KbErrorCode, number>> = {
  invalid_input: ProtocolErrorCode.InvalidParams,
  invalid_query: ProtocolErrorCode.InvalidParams,
  not_found: ProtocolErrorCode.ResourceNotFound,
  conflict: ProtocolErrorCode.InternalError,
  unsupported_type: ProtocolErrorCode.InvalidParams,
  model_unavailable: ProtocolErrorCode.InternalError,
  busy: ProtocolErrorCode.InternalError,
  cancelled: ProtocolErrorCode.InternalError,
  corrupt: ProtocolErrorCode.InternalError,
  forbidden: ProtocolErrorCode.InternalError,
  unreachable: ProtocolErrorCode.InternalError,
  incompatible: ProtocolErrorCode.InternalError,
};

/** Key of the mark {@linkcode notFound} puts on an error's data; it is never sent. */
export const NOT_FOUND: unique symbol = Symbol("not found");

/** Writes an operating error for the agent that called a tool. */
export async function describeKbError(
  kb: McpBase,
  error: KbError,
): Promise<string> {
  const near = error.code === "not_found"
    ? await listNear(kb, error.details)
    : [];
  const advice = near.length === 0
    ? ADVICE[error.code]
    : `Did you mean ${near.map((id) => `"${id}"`).join(" or ")}?`;
  return advice === "" ? error.message : `${error.message}. ${advice}`;
}

/**
 * An error for something that is not there: -32002 in revision 2025-11-25, -32602 in 2026-07-28.
 *
 * @param message What was looked for.
 * @param data What it was, for the client.
 */
export function notFound(
  message: string,
  data: Readonly<Record<string, string>>,
): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, {
    ...data,
    [NOT_FOUND]: true,
  });
}

/** An error for parameters that cannot be used. */
export function invalidParams(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

/** Turns an operating error into a JSON-RPC error; any other is returned as it is. */
export function toProtocolError(
  error: unknown,
  data: Readonly<Record<string, string>>,
): unknown {
  if (!(error instanceof KbError)) return error;
  return error.code === "not_found"
    ? notFound(error.message, data)
    : new ProtocolError(CODES[error.code], error.message, { ...data });
}

/** Ids that begin like one that is not there. */
async function listNear(
  kb: McpBase,
  details: Readonly<Record<string, string | number | boolean>>,
): Promise<string[]> {
  for (const kind of ["kbid", "docid"] as const) {
    const id = details[kind];
    if (typeof id === "string" && id.length >= NEAR_PREFIX_CHARS) {
      return await kb.findIds(kind, id.slice(0, NEAR_PREFIX_CHARS), NEAR_IDS);
    }
  }
  return [];
}
