import { KbError, type KbErrorCode } from "../core/mod.ts";
import type { WireError } from "../wire/mod.ts";
import { describeAddress, type EngineAddress } from "./address.ts";

/** Codes that mean the same on both sides. */
const CODES: Readonly<Record<KbErrorCode, true>> = {
  invalid_input: true,
  invalid_query: true,
  not_found: true,
  conflict: true,
  unsupported_type: true,
  model_unavailable: true,
  busy: true,
  cancelled: true,
  corrupt: true,
  forbidden: true,
  unreachable: true,
  incompatible: true,
};

/** Words for the errors a network gives most. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOENT: "nothing listens there",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "there is no such host",
  ECONNRESET: "it closed the connection",
  ETIMEDOUT: "it does not answer",
  EHOSTUNREACH: "there is no way to the host",
};

/** Makes the error that an engine answered an operation with. */
export function engineError(
  { code, message, details = {} }: WireError,
  address: EngineAddress,
): Error {
  if (code === "range") return new RangeError(message);
  if (Object.hasOwn(CODES, code)) {
    return new KbError(code as KbErrorCode, message, { details });
  }
  return new Error(`Fault in ${describeAddress(address)}: ${message}`);
}

/** Makes the error of a request that was answered with another status than 200. */
export function statusError(
  status: number,
  body: string,
  address: EngineAddress,
): Error {
  const where = describeAddress(address);
  const error = readError(body);
  switch (status) {
    case 401:
      return new KbError(
        "forbidden",
        "key" in address
          ? `${
            capital(where)
          } refuses the key: set KB_API_KEY to one of its keys`
          : `${capital(where)} needs a key: set KB_API_KEY to one of its keys`,
      );
    case 404:
    case 405:
      if (error?.code === "not_found" || error === undefined) {
        return foreignError(address);
      }
      break;
    case 421:
      return new KbError(
        "forbidden",
        `${
          capital(where)
        } does not know that host name: name it in KB_MCP_ALLOWED_HOSTS there`,
      );
    case 429:
      return new KbError("busy", `${capital(where)}: ${error?.message}`);
    default:
  }
  if (error === undefined) {
    return new KbError(
      "unreachable",
      `${
        capital(where)
      } answered with status ${status}: check the URL, and what stands in front of the engine`,
    );
  }
  const { code, message, details = {} } = error;
  if (Object.hasOwn(CODES, code)) return engineError(error, address);
  return status === 403
    ? new KbError("forbidden", `${capital(where)} refuses: ${message}`, {
      details,
    })
    : new Error(`Fault in ${where}: ${message}`);
}

/** Makes the error of an answer that no engine gives, or one of another version. */
export function foreignError(address: EngineAddress): KbError {
  return new KbError(
    "incompatible",
    `${
      capital(describeAddress(address))
    } is no kbdb engine, or one that lacks what this kbdb calls: check the URL, and that both have the same version`,
  );
}

/** Makes the error of a request that was not answered. */
export function transportError(
  error: unknown,
  address: EngineAddress,
): unknown {
  if (error instanceof KbError) return error;
  const where = describeAddress(address);
  const name = error instanceof Error ? error.name : "";
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && "code" in error
    ? String(error.code)
    : "";
  const isForbidden = name === "NotCapable" || code === "EPERM" ||
    /Requires net access/.test(message);
  if (isForbidden) {
    return new KbError(
      "unreachable",
      `Cannot reach ${where}: this process may reach this machine only; run it from the checkout with: deno run --allow-read --allow-write --allow-env --allow-sys --allow-net cli.ts`,
      { cause: error },
    );
  }
  const reason = REASONS[code] ?? message;
  const advice = "url" in address
    ? "start it there with kbdb serve, or correct --url or KB_ENGINE_URL"
    : "try again";
  return new KbError(
    "unreachable",
    `Cannot reach ${where}: ${reason}${
      code === "" ? "" : ` (${code})`
    }; ${advice}`,
    { cause: error },
  );
}

function readError(body: string): WireError | undefined {
  try {
    const value: unknown = JSON.parse(body)?.error;
    return isWireError(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Says whether a value is an error as engines send it. */
export function isWireError(value: unknown): value is WireError {
  return typeof value === "object" && value !== null && "code" in value &&
    typeof value.code === "string" && "message" in value &&
    typeof value.message === "string";
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
