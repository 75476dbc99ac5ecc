import { join } from "node:path";
import { KbError } from "../core/mod.ts";
import { openReadOnly, openStore, readQuickFaults } from "../store/mod.ts";
import { DATABASE } from "./base_files.ts";

/** Says which SQLite is in use, by making a base in memory, which takes all of it that kbdb needs. */
export function inspectSqlite():
  | { readonly version: string }
  | { readonly problem: string } {
  try {
    using store = openStore(":memory:");
    return { version: readQuickFaults(store).sqliteVersion };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** What a quick look at a base's database finds. */
export interface DatabaseInspection {
  /** Schema version of the file. */
  readonly schemaVersion: number;
  /** What SQLite's quick check says; `[]` if nothing is wrong. */
  readonly faults: readonly string[];
}

/**
 * Looks at a base's database without changing it.
 *
 * @throws {KbError} `corrupt` if it cannot be read; `conflict` if a newer kbdb made it; `invalid_input` if it is no base.
 */
export function inspectDatabase(dir: string): DatabaseInspection {
  try {
    const { store: opened, version } = openReadOnly(join(dir, DATABASE));
    using store = opened;
    return {
      schemaVersion: version,
      faults: readQuickFaults(store).faults,
    };
  } catch (error) {
    if (error instanceof KbError || !(error instanceof Error)) throw error;
    throw new KbError("corrupt", `Cannot read the base: ${error.message}`, {
      cause: error,
    });
  }
}
