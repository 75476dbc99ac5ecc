import process from "node:process";
import {
  inspectSqlite,
  listModels,
  ONNX_RUNTIME_VERSION,
} from "../../kb/about.ts";
import type { CliIo, GlobalOptions } from "../io.ts";
import { writeRecord } from "../output/write.ts";

/** Prints the version of kbdb and of what is inside. */
export async function showVersion(
  io: CliIo,
  version: string,
  options: GlobalOptions,
): Promise<number> {
  const { deno, node } = process.versions;
  const sqlite = inspectSqlite();
  const model = listModels().find(({ inUse }) => inUse);
  const runtime = deno === undefined ? `Node ${node}` : `Deno ${deno}`;
  const facts = {
    kbdb: version,
    runtime,
    sqlite: "version" in sqlite ? sqlite.version : sqlite.problem,
    onnxRuntime: ONNX_RUNTIME_VERSION,
    model: model?.id ?? null,
    platform: `${process.platform} ${process.arch}`,
  };
  await writeRecord(io, options, {
    json: facts,
    facts: Object.entries(facts).map(([name, value]) => ({ name, value })),
  });
  return 0;
}
