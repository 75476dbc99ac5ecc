import { KbError } from "../core/mod.ts";
import type { RemoteEngine } from "../client/mod.ts";
import { findBaseDir } from "./base_dir.ts";
import type { CliIo, GlobalOptions } from "./io.ts";
import { readSources, type Resolved } from "./settings/resolve.ts";
import { ENGINE_KEY, ENGINE_URL } from "./settings/table.ts";
import { VERSION } from "./version.ts";

/**
 * Says which engine elsewhere a command means: `--url`, else `KB_ENGINE_URL`, else the settings of the base. A base
 * named by `--db` is meant itself.
 */
export async function findEngineUrl(
  io: CliIo,
  { db, url }: GlobalOptions,
): Promise<Resolved<string> | undefined> {
  if (db !== undefined) return undefined;
  const sources = await readSources(io, findBaseDir(io, db));
  const { value, ...from } = sources.get(ENGINE_URL, url);
  return value === undefined ? undefined : { value, ...from };
}

/**
 * Gives the engine elsewhere that a command means; nothing is sent yet.
 *
 * @returns `undefined` if it means a base of this machine.
 * @throws {KbError} `invalid_input` if its URL is none.
 */
export async function openRemote(
  io: CliIo,
  options: GlobalOptions,
): Promise<RemoteEngine | undefined> {
  const url = await findEngineUrl(io, options);
  if (url === undefined) return undefined;
  const sources = await readSources(io, findBaseDir(io, options.db));
  const { RemoteEngine, toAddress } = await import("../client/mod.ts");
  return new RemoteEngine({
    address: toAddress(url.value, {
      from: url.from,
      key: toKey(sources.get(ENGINE_KEY).value),
    }),
    version: VERSION,
    cwd: io.cwd,
  });
}

/**
 * Asks an engine elsewhere for the file a document was made of.
 *
 * @param id Integer id of the document.
 * @returns The answer, whose body is the file; `undefined` if a base of this machine is meant.
 * @throws {KbError} `not_found` if the engine has no file of it; `forbidden` if it refuses the key;
 * `unreachable` if it does not answer.
 */
export async function fetchRemoteFile(
  io: CliIo,
  options: GlobalOptions,
  id: number,
): Promise<Response | undefined> {
  const url = await findEngineUrl(io, options);
  if (url === undefined) return undefined;
  const sources = await readSources(io, findBaseDir(io, options.db));
  const key = toKey(sources.get(ENGINE_KEY).value);
  const path = `/api/v1/documents/${id}/file`;
  let response: Response;
  try {
    response = await fetch(`${url.value.replace(/\/+$/, "")}${path}`, {
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      redirect: "error",
      signal: io.signal,
    });
  } catch (error) {
    throw new KbError(
      "unreachable",
      `Cannot get the file of document ${id} from the engine at ${url.value}: ${
        error instanceof Error ? error.message : error
      }`,
    );
  }
  if (response.ok) return response;
  await response.body?.cancel();
  if (response.status === 404) {
    throw new KbError(
      "not_found",
      `Document ${id} has no file at the engine, or it changed since it was added; for its text use: kbdb get ${id}`,
    );
  }
  const isRefused = response.status === 401 || response.status === 403;
  throw new KbError(
    isRefused ? "forbidden" : "unreachable",
    `The engine at ${url.value} answered ${response.status} instead of the file of document ${id}; ${
      isRefused ? "set KB_API_KEY" : "try again"
    }`,
  );
}

/**
 * Keeps a command that works on the files of a base from one elsewhere.
 *
 * @param command Its name.
 * @throws {KbError} `invalid_input` if the base is elsewhere.
 */
export async function refuseRemote(
  io: CliIo,
  options: GlobalOptions,
  command: string,
): Promise<void> {
  const url = await findEngineUrl(io, options);
  if (url === undefined) return;
  throw new KbError(
    "invalid_input",
    `Cannot run kbdb ${command} on the engine at ${url.value}, which ${url.from} names: it works on the files of a base; name one of this machine with --db, or run it there`,
  );
}

/** The first of the keys a server would take, without what it allows. */
function toKey(keys: string | undefined): string | undefined {
  const [first = ""] = keys?.split(",") ?? [];
  const key = first.trim().replace(/:(read|write|admin)$/, "");
  return key === "" ? undefined : key;
}
