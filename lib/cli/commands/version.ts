import process from "node:process";
import { listModels } from "../../kb/mod.ts";
import type { CliIo, GlobalOptions } from "../io.ts";
import { writeRecord } from "../output/write.ts";

/** Prints the version of kbdb and of what is inside. */
export function showVersion(
  io: CliIo,
  version: string,
  options: GlobalOptions,
): number {
  const { deno, node, sqlite } = process.versions;
  const model = listModels().find(({ inUse }) => inUse);
  const runtime = deno === undefined ? `Node ${node}` : `Deno ${deno}`;
  const facts = {
    kbdb: version,
    runtime,
    sqlite: sqlite ?? `the one of ${runtime}`,
    model: model?.id ?? null,
    platform: `${process.platform} ${process.arch}`,
  };
  writeRecord(io, options, {
    json: facts,
    facts: Object.entries(facts).map(([name, value]) => ({ name, value })),
  });
  return 0;
}
