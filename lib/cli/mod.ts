/**
 * The `kbdb` command: one file a command, output formats, progress.
 *
 * @module
 */
export type { CliIo, TextSink, TextSource } from "./io.ts";
export { run } from "./run.ts";
