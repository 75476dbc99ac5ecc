import { resolve } from "node:path";
import { backupBase, restoreBase, verifyBackup } from "../../kb/mod.ts";
import { findBaseDir, getBaseDir, hasBase } from "../base_dir.ts";
import { confirm } from "../confirm.ts";
import {
  formatBytes,
  formatCount,
  formatItems,
  formatPath,
} from "../format.ts";
import {
  type CliIo,
  type GlobalOptions,
  writeJson,
  writeLines,
} from "../io.ts";
import { stopDaemonOf } from "../daemon.ts";
import { refuseRemote } from "../remote.ts";

/** Options of `kbdb restore`. */
export interface RestoreCommandOptions extends GlobalOptions {
  /** Puts the base that is there aside. */
  readonly replace?: true;
  /** Asks nothing. */
  readonly yes?: true;
}

/** Saves the base to a new folder. */
export async function backup(
  io: CliIo,
  target: string,
  version: string,
  options: GlobalOptions,
): Promise<number> {
  await refuseRemote(io, options, "backup");
  const report = await backupBase(
    getBaseDir(io, options.db),
    resolve(io.cwd, target),
    { version, signal: io.signal },
  );
  if (options.format === "json") writeJson(io, report);
  else {
    const { counts } = report.manifest;
    writeLines(io.out, [
      `Saved ${formatItems(counts.documents, "document")}, ${
        formatCount(counts.vectors)
      } vectors and ${formatItems(counts.originals, "original")} (${
        formatBytes(report.sizeBytes)
      }) to ${formatPath(report.path, io.cwd)}, read again and checked`,
    ]);
    writeLines(io.err, report.warnings.map((text) => `warning: ${text}`));
  }
  return 0;
}

/** Makes a base of a backup. */
export async function restore(
  io: CliIo,
  backup: string,
  options: RestoreCommandOptions,
): Promise<number> {
  await refuseRemote(io, options, "restore");
  const dir = findBaseDir(io, options.db);
  const from = resolve(io.cwd, backup);
  const replace = options.replace === true;
  if (replace && hasBase(dir)) {
    // A person is asked only about a backup that is whole.
    const { createdAt, counts } = await verifyBackup(from, {
      signal: io.signal,
    });
    await confirm(
      io,
      `Replace the base at "${dir}" by the backup of ${createdAt} with ${
        formatItems(counts.documents, "document")
      }?`,
      options.yes,
    );
  }
  // It would go on with the base that is put aside.
  if (replace) await stopDaemonOf(dir);
  const report = await restoreBase(from, dir, { replace, signal: io.signal });
  if (options.format === "json") writeJson(io, report);
  else {
    const { createdAt, counts } = report.manifest;
    writeLines(io.out, [
      `Restored ${
        formatItems(counts.documents, "document")
      } of ${createdAt} to ${formatPath(dir, io.cwd)}`,
      ...(report.replacedDir === undefined ? [] : [
        `The base that was there is in ${
          formatPath(report.replacedDir, io.cwd)
        }; remove it when you need it no more`,
      ]),
    ]);
  }
  return 0;
}
