import type { AddOptions } from "./types.ts";

/** How to sync a folder. What is not given is as it was when the folder was synced last. */
export interface SyncOptions extends AddOptions {
  /** Whether nothing is stored and the report says what would be. */
  readonly dryRun?: boolean;
}

/** A folder that was synced. */
export interface SyncRoot {
  /** Real absolute path. */
  readonly path: string;
  /** How it is synced when nothing else is said. */
  readonly options: Omit<SyncOptions, "dryRun" | "signal" | "onProgress">;
  /** ISO 8601 UTC, when it was synced to its end last. */
  readonly syncedAt: string;
}
