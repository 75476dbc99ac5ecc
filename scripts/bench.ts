/**
 * Speed, memory and size of the hot paths, as one table.
 *
 * `deno task bench [--data DIR] [--only add,embed,query,recall,memory,startup,cli,mcp,extract]
 * [--recall] [--executable FILE] [--format json]`. Temporary bases are removed at the end. `--recall` also embeds 1,000 real
 * chunks to compare the vector index with an exact search over them.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { benchAdd } from "./bench/add.ts";
import { benchCli } from "./bench/cli.ts";
import { Bases } from "./bench/bases.ts";
import { ROOT } from "./bench/child.ts";
import { benchExtract } from "./bench/extract.ts";
import { benchEmbed } from "./bench/embed.ts";
import { benchMcp } from "./bench/mcp.ts";
import { benchMemory } from "./bench/memory.ts";
import { benchQueries } from "./bench/query.ts";
import { benchRealRecall, benchRecall } from "./bench/recall.ts";
import { benchStartup } from "./bench/startup.ts";
import { reportRows, writeLine } from "./bench/report.ts";
import type { Report } from "./bench/table.ts";
import { writeCorpus } from "./bench/text.ts";

const PARTS = [
  "add",
  "embed",
  "query",
  "recall",
  "memory",
  "startup",
  "cli",
  "mcp",
  "extract",
] as const;
type Part = typeof PARTS[number];

const SMALL_CHUNKS = 10_000;
const LARGE_CHUNKS = 100_000;
const EMBED_CHUNKS = 300;
const EMBED_QUERIES = 100;
const QUERIES = 200;
const MEMORY_QUERIES = 50;
const RECALL_QUERIES = 100;

interface Options {
  readonly parts: ReadonlySet<Part>;
  readonly data: string | undefined;
  readonly recall: boolean;
  readonly scale: number;
  readonly executable: string | undefined;
}

/** The folder to add: the one asked for, the one beside the checkout, or a generated one. */
function chooseData(bases: Bases, { data, scale }: Options): string {
  if (data !== undefined) return resolve(data);
  const beside = resolve(ROOT, "../shared/data/markdown");
  if (scale === 1 && existsSync(beside)) return beside;
  const generated = join(bases.dir, "generated");
  if (!existsSync(generated)) {
    writeCorpus(generated, Math.ceil(SMALL_CHUNKS * scale), bases.vocabulary);
  }
  return generated;
}

async function runParts(
  bases: Bases,
  report: Report,
  options: Options,
): Promise<void> {
  const { parts, scale, recall } = options;
  const scaled = (count: number) => Math.ceil(count * scale);
  const small = scaled(SMALL_CHUNKS);
  const large = scaled(LARGE_CHUNKS);
  if (parts.has("add")) {
    await benchAdd(bases, report, chooseData(bases, options));
  }
  if (parts.has("embed")) {
    await benchEmbed(bases, report, {
      data: chooseData(bases, options),
      chunks: scaled(EMBED_CHUNKS),
      queries: scaled(EMBED_QUERIES),
    });
  }
  if (parts.has("query")) {
    const queries = Math.max(20, scaled(QUERIES));
    await benchQueries(bases, report, { planned: small, queries });
    await benchQueries(bases, report, { planned: large, queries });
  }
  if (parts.has("recall")) {
    const queries = scaled(RECALL_QUERIES);
    await benchRecall(bases, report, { planned: small, queries });
  }
  if (recall) {
    const data = chooseData(bases, options);
    await benchRealRecall(bases, report, { data, scale });
  }
  if (parts.has("memory")) {
    const queries = scaled(MEMORY_QUERIES);
    await benchMemory(bases, report, { planned: large, queries });
  }
  if (parts.has("startup")) {
    await benchStartup(bases, report, {
      planned: small,
      executable: options.executable,
    });
  }
  if (parts.has("cli")) {
    await benchCli(bases, report, {
      planned: small,
      executable: options.executable,
    });
  }
  if (parts.has("mcp")) {
    const queries = Math.max(20, scaled(QUERIES));
    await benchMcp(bases, report, { planned: small, queries });
  }
  if (parts.has("extract")) await benchExtract(report, scale);
}

function isPart(name: string): name is Part {
  return (PARTS as readonly string[]).includes(name);
}

/** Reads the options; `undefined` if they cannot be understood. */
function readOptions(): Options & { json: boolean } | undefined {
  const { values } = parseArgs({
    options: {
      data: { type: "string" },
      only: { type: "string", default: PARTS.join(",") },
      format: { type: "string", default: "text" },
      recall: { type: "boolean", default: false },
      executable: { type: "string" },
      // Share of the sizes, to try the benchmark itself.
      scale: { type: "string", default: "1" },
    },
  });
  const parts = values.only.split(",");
  const scale = Number(values.scale);
  const { data, format, recall } = values;
  if (
    !parts.every(isPart) || !(scale > 0) ||
    (format !== "text" && format !== "json")
  ) {
    return undefined;
  }
  return {
    parts: new Set(parts),
    data,
    recall,
    scale,
    executable: values.executable === undefined
      ? undefined
      : resolve(values.executable),
    json: format === "json",
  };
}

async function main(): Promise<void> {
  const options = readOptions();
  if (options === undefined) {
    process.stderr.write(
      `Usage: deno task bench [--data DIR] [--only ${
        PARTS.join(",")
      }] [--recall] [--executable FILE] [--format json]\n`,
    );
    process.exitCode = 2;
    return;
  }
  const measured = await reportRows(
    "kbdb-bench",
    options.json,
    (dir, report) => runParts(new Bases(dir), report, options),
  );
  if (options.json) writeLine(JSON.stringify(measured));
}

if (import.meta.main) await main();
