/**
 * The `kbdb` command: one file a command, output formats, progress.
 *
 * @module
 */
export type { CliIo, TextSink, TextSource } from "./io.ts";
export {
  hasUnixSockets,
  type Relaunch,
  type RuntimeFacts,
  toRelaunch,
} from "./runtime.ts";
export { run } from "./run.ts";
