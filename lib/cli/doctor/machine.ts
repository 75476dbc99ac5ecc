import {
  accessSync,
  constants,
  existsSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { inspectSqlite } from "../../kb/mod.ts";
import { formatBytes } from "../format.ts";
import type { CliIo } from "../io.ts";
import { fail, type Finding, ok, toText, warn } from "./finding.ts";

/** Least versions: what kbdb is tested with. */
const LEAST = { deno: "2.4.2", node: "22.13.0" } as const;
/** The first Deno that copies a database, as a backup does. */
const DENO_WITH_BACKUPS = "2.6.0";
/** Free space below which writing is about to fail, and below which it is worth a word. */
const FREE_BYTES_MIN = 100e6;
const FREE_BYTES_GOOD = 1e9;
/** File systems over a network, by their number in Linux: NFS, SMB, CIFS, FUSE is left out. */
const NETWORK_TYPES: ReadonlySet<number> = new Set([
  0x6969,
  0x517b,
  0xfe534d42,
  0xff534d42,
]);

/** Judges the version of Deno or Node. */
function judgeVersion(name: string, version: string, least: string): Finding {
  if (!isAtLeast(version, least)) {
    return fail(
      "runtime",
      `${name} ${version} is older than ${least}`,
      `Update ${name}`,
    );
  }
  if (name === "Deno" && !isAtLeast(version, DENO_WITH_BACKUPS)) {
    return warn(
      "runtime",
      `${name} ${version} can make no backups`,
      `Update ${name} to ${DENO_WITH_BACKUPS} or newer`,
    );
  }
  return ok("runtime", `${name} ${version}`);
}

/** Checks what runs kbdb. */
export function checkRuntime(): Finding[] {
  const { deno, node } = process.versions;
  const [name, version, least] = deno === undefined
    ? ["Node", node, LEAST.node]
    : ["Deno", deno, LEAST.deno];
  const sqlite = inspectSqlite();
  return [
    judgeVersion(name, version, least),
    "version" in sqlite
      ? ok("sqlite", `SQLite ${sqlite.version} with full-text search`)
      : fail(
        "sqlite",
        `SQLite cannot make a base: ${sqlite.problem}`,
        "Use the released executable, or a Node or Deno whose SQLite has FTS5",
      ),
  ];
}

/** Says whether a version is another one or newer. */
export function isAtLeast(version: string, least: string): boolean {
  const parts = version.split(/[.-]/).map(Number);
  for (const [index, wanted] of least.split(".").map(Number).entries()) {
    const part = parts[index] ?? 0;
    if (part !== wanted) return part > wanted;
  }
  return true;
}

/** Checks the directory of a base, or the folder it would be made in. */
export function checkDirectory({ platform }: CliIo, dir: string): Finding[] {
  let folder = dir;
  while (!existsSync(folder) && dirname(folder) !== folder) {
    folder = dirname(folder);
  }
  return [
    checkWriting(folder),
    ...(folder === dir && platform !== "win32" ? [checkMode(dir)] : []),
    ...checkSpace(folder, platform),
  ];
}

function checkWriting(folder: string): Finding {
  const probe = join(folder, `.kbdb-doctor-${process.pid}`);
  try {
    accessSync(folder, constants.R_OK | constants.W_OK);
    writeFileSync(probe, "", { flag: "wx" });
    return ok("directory", `${folder} can be written`);
  } catch (error) {
    return fail(
      "directory",
      `${folder} cannot be written: ${toText(error)}`,
      "Give the user of this command the right to write there, or choose another directory with --db",
    );
  } finally {
    rmSync(probe, { force: true });
  }
}

function checkMode(dir: string): Finding {
  const mode = statSync(dir).mode & 0o777;
  const shown = mode.toString(8).padStart(3, "0");
  return (mode & 0o077) === 0
    ? ok("privacy", `only its owner can enter the directory (${shown})`)
    : warn(
      "privacy",
      `others of this machine may enter the directory (${shown})`,
      `chmod 700 "${dir}"`,
    );
}

function checkSpace(folder: string, platform: string): Finding[] {
  let stat: ReturnType<typeof statfsSync>;
  try {
    stat = statfsSync(folder);
  } catch (error) {
    return [
      warn(
        "disk",
        `free space cannot be told: ${toText(error)}`,
        "Look yourself, with df",
      ),
    ];
  }
  const free = Number(stat.bavail) * Number(stat.bsize);
  const findings = [
    free < FREE_BYTES_MIN
      ? fail("disk", `${formatBytes(free)} free`, "Make room on the disk")
      : free < FREE_BYTES_GOOD
      ? warn("disk", `${formatBytes(free)} free`, "Make room on the disk")
      : ok("disk", `${formatBytes(free)} free`),
  ];
  if (platform === "linux" && NETWORK_TYPES.has(Number(stat.type))) {
    findings.push(warn(
      "file system",
      "the directory is on a network file system, where SQLite's log does not work",
      "Move the base to a local disk",
    ));
  }
  return findings;
}
