import { type KeyScope, openApiKeys } from "../../kb/mod.ts";
import { getBaseDir } from "../base_dir.ts";
import { toPrintable } from "../format.ts";
import {
  type CliIo,
  type GlobalOptions,
  writeJson,
  writeLines,
} from "../io.ts";
import { formatAge } from "../output/age.ts";
import { writeListing } from "../output/write.ts";
import { refuseRemote } from "../remote.ts";

/** Options of `kbdb key create`. */
export interface CreateKeyOptions extends GlobalOptions {
  /** What it may do. */
  readonly scope: KeyScope;
}

/** Makes a key and shows it, this once. */
export async function create(
  io: CliIo,
  name: string,
  options: CreateKeyOptions,
): Promise<number> {
  await refuseRemote(io, options, "key");
  using keys = openApiKeys(getBaseDir(io, options.db));
  const { key, info } = keys.create(name, options.scope);
  if (options.format === "json") writeJson(io, { key, ...info });
  else {
    io.out.write(key + "\n");
    writeLines(io.err, [
      `Made the key "${
        toPrintable(info.name)
      }", which may ${info.scope}. It is not kept and cannot be shown again`,
    ]);
  }
  return 0;
}

/** Lists the keys, never the keys themselves. */
export async function list(
  io: CliIo,
  options: GlobalOptions,
): Promise<number> {
  await refuseRemote(io, options, "key");
  using keys = openApiKeys(getBaseDir(io, options.db));
  await writeListing(io, options, {
    rows: keys.list(),
    columns: [
      { name: "name", value: ({ name }) => name },
      { name: "scope", value: ({ scope }) => scope },
      {
        name: "made",
        value: ({ createdAt }) => createdAt,
        text: ({ createdAt }, { nowMs }) =>
          `made ${formatAge(createdAt, nowMs)}`,
      },
      {
        name: "used",
        value: ({ lastUsedAt }) => lastUsedAt,
        text: ({ lastUsedAt }, { nowMs }) =>
          lastUsedAt === null
            ? "never used"
            : `used ${formatAge(lastUsedAt, nowMs)}`,
      },
    ],
    empty: "There are no keys; make one with: kbdb key create NAME",
  });
  return 0;
}

/** Makes a key worthless. */
export async function revoke(
  io: CliIo,
  name: string,
  options: GlobalOptions,
): Promise<number> {
  await refuseRemote(io, options, "key");
  using keys = openApiKeys(getBaseDir(io, options.db));
  keys.revoke(name);
  if (options.format === "json") writeJson(io, { revoked: name });
  else io.out.write(`Revoked the key "${toPrintable(name)}"\n`);
  return 0;
}
