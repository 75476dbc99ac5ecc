import { availableParallelism, cpus, loadavg } from "node:os";
import { openStore, readStats } from "../../lib/store/mod.ts";

/** What the numbers depend on. */
export interface Machine {
  /** Cores there are. */
  readonly cores: number;
  /** Name of the processor. */
  readonly cpu: string;
  /** Version of Deno. */
  readonly deno: string;
  /** Version of SQLite. */
  readonly sqlite: string;
  /** Processes that wanted a core in the minute before. */
  readonly load1: number;
}

/** Looks at the machine. */
export function readMachine(): Machine {
  using store = openStore(":memory:");
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model ?? "unknown",
    deno: Deno.version.deno,
    sqlite: readStats(store).sqliteVersion,
    load1: loadavg()[0] ?? 0,
  };
}
