import { KbError, type KbErrorCode } from "../core/mod.ts";

/** Exit code of a usage error. */
export const EXIT_USAGE = 2;
/** Exit code when every item of the work failed. */
export const EXIT_ALL_FAILED = 3;
/** Exit code when `kbdb doctor` found something that does not work. */
export const EXIT_UNHEALTHY = 78;
/** Exit code of a bug. */
export const EXIT_INTERNAL = 70;

/** Exit code of each operating error. */
export const EXIT_CODES: Readonly<Record<KbErrorCode, number>> = {
  invalid_input: 2,
  invalid_query: 2,
  not_found: 4,
  conflict: 5,
  unsupported_type: 2,
  busy: 75,
  model_unavailable: 69,
  cancelled: 130,
  corrupt: 65,
  forbidden: 77,
  unreachable: 69,
  incompatible: 1,
};

/** The error of a command that a person stopped. */
export function stopped(kept: string): KbError {
  return new KbError("cancelled", `Stopped; ${kept}`);
}
