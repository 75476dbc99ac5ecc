import { existsSync, readdirSync } from "node:fs";
import { findDaemon, readServerFile, SERVER_FILE } from "../../client/mod.ts";
import { inspectDatabase } from "../../kb/mod.ts";
import { hasBase } from "../base_dir.ts";
import { readDaemonModel } from "../daemon.ts";
import { formatCount, formatItems } from "../format.ts";
import type { CliIo } from "../io.ts";
import { openBase } from "../session.ts";
import { VERSION } from "../version.ts";
import { fail, type Finding, ok, toText, warn } from "./finding.ts";

/** Checks a base: its database, what waits in it, and what was left lying about. */
export async function checkBase(io: CliIo, dir: string): Promise<Finding[]> {
  if (!hasBase(dir)) {
    return [
      warn(
        "base",
        `there is no base at ${dir}`,
        "Make one with: kbdb init, or: kbdb add PATH",
      ),
    ];
  }
  try {
    const { faults, schemaVersion } = inspectDatabase(dir);
    if (faults.length > 0) {
      return [fail(
        "base",
        `the database is damaged: ${faults.join("; ")}`,
        "Restore a backup with: kbdb restore BACKUP --replace",
      )];
    }
    return [
      ok("base", `${dir} is healthy, schema ${schemaVersion}`),
      ...await checkContents(io, dir),
      ...checkLeftovers(dir),
    ];
  } catch (error) {
    return [
      fail(
        "base",
        toText(error),
        "Restore a backup with: kbdb restore BACKUP --replace, or update kbdb if a newer one made the base",
      ),
    ];
  }
}

async function checkContents(io: CliIo, dir: string): Promise<Finding[]> {
  await using kb = await openBase(io, dir);
  const { documents, chunks, jobsByStatus, vectors } = kb.status();
  const { failed = 0 } = jobsByStatus;
  return [
    vectors.pendingChunks === 0
      ? ok(
        "vectors",
        `${formatItems(documents, "document")}, ${
          formatItems(chunks, "chunk")
        }, every one with a vector`,
      )
      : warn(
        "vectors",
        `${formatCount(vectors.pendingChunks)} of ${
          formatItems(chunks, "chunk")
        } without a vector, found by word only`,
        "kbdb embed",
      ),
    ...(failed === 0 ? [] : [
      warn(
        "jobs",
        `${formatItems(failed, "job")} failed`,
        "See why, and try them again, at /api/v1/jobs of kbdb serve",
      ),
    ]),
  ];
}

/** What a restore kept, and what one that broke off left. */
function checkLeftovers(dir: string): Finding[] {
  const names = existsSync(dir)
    ? readdirSync(dir).filter((name) => /^(replaced-|\.restore-)/.test(name))
    : [];
  return names.length === 0 ? [] : [
    warn(
      "leftovers",
      `a restore left ${names.join(", ")}`,
      "Remove it when it is needed no more",
    ),
  ];
}

/** Checks the daemon of a base, if one runs. */
export async function checkDaemon(io: CliIo, dir: string): Promise<Finding[]> {
  const file = readServerFile(dir);
  if (file === undefined) return [ok("daemon", "none runs")];
  if (file.version !== VERSION) {
    return [
      warn(
        "daemon",
        `the daemon is of version ${file.version}, this is ${VERSION}`,
        "It ends by itself with the next command that needs the model",
      ),
    ];
  }
  const model = await readDaemonModel(io, dir);
  if (file.model !== model) {
    return [
      warn(
        "daemon",
        "the daemon has another model than the settings say",
        "It ends by itself when nobody calls it for a while",
      ),
    ];
  }
  const engine = await findDaemon(dir, { version: VERSION, model });
  if (engine === undefined) {
    return [
      warn(
        "daemon",
        `${SERVER_FILE} names process ${file.pid}, which does not answer`,
        "Nothing: the next one takes its place",
      ),
    ];
  }
  await engine.close();
  return [ok("daemon", `process ${file.pid} answers`)];
}
