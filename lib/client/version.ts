import { KbError } from "../core/mod.ts";

/** Least version of an engine that this client works with; `""` or `dev` lets any pass. */
export const MIN_ENGINE_VERSION = "0.1.0";

/**
 * Compares the version of an engine with the least one.
 *
 * @param engine What the engine says; one that says none is taken for too old.
 * @param versions That of this client, and the least one of an engine.
 * @throws {KbError} `incompatible` if it is below.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * checkVersion("3.0.0", { client: "3.1.0", least: "3.0.0" });
 * assert.throws(
 *   () => checkVersion("2.1.0", { client: "3.1.0", least: "3.0.0" }),
 *   /requires engine v3\.0\.0\+ \(connected engine is v2\.1\.0\)/,
 * );
 * ```
 */
export function checkVersion(
  engine: string | undefined,
  { client, least }: { readonly client: string; readonly least: string },
): void {
  if (least === "" || least === "dev" || isAtLeast(engine, least)) return;
  throw new KbError(
    "incompatible",
    `Error: kb client v${client} requires engine v${least}+ (connected engine is v${
      engine ?? "unknown"
    })\nUpgrade the engine, or use a kbdb of its version.`,
    { details: { client, least, engine: engine ?? "unknown" } },
  );
}

/** Compares major, minor and patch; what follows them says nothing. */
function isAtLeast(version: string | undefined, least: string): boolean {
  const numbers = toNumbers(version ?? "");
  if (numbers === undefined) return false;
  for (const [index, wanted] of (toNumbers(least) ?? []).entries()) {
    const number = numbers[index] ?? 0;
    if (number !== wanted) return number > wanted;
  }
  return true;
}

function toNumbers(version: string): number[] | undefined {
  const [, ...parts] = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version) ?? [];
  return parts.length === 0 ? undefined : parts.map(Number);
}
