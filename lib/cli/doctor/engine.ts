import type { CliIo, GlobalOptions } from "../io.ts";
import { formatItems } from "../format.ts";
import { findEngineUrl, openRemote } from "../remote.ts";
import { fail, type Finding, ok, toText } from "./finding.ts";

/** Checks the engine elsewhere that commands work on; `undefined` if they work on a base of this machine. */
export async function checkEngine(
  io: CliIo,
  options: GlobalOptions,
): Promise<Finding | undefined> {
  try {
    const url = await findEngineUrl(io, options);
    const engine = await openRemote(io, options);
    if (url === undefined || engine === undefined) return undefined;
    await using _closing = engine;
    const { documents } = await engine.status();
    return ok(
      "engine",
      `${url.value} answers, with ${formatItems(documents, "document")}`,
    );
  } catch (error) {
    return fail(
      "engine",
      toText(error),
      "Correct --url, KB_ENGINE_URL or KB_API_KEY, or start the engine",
    );
  }
}
