import { KbError } from "../core/mod.ts";
import { type CliIo, readParts } from "./io.ts";

/**
 * Asks the person at the terminal before something that cannot be taken back.
 *
 * @param question Ends with a question mark.
 * @param yes Whether `--yes` answered already.
 * @throws {KbError} `cancelled` if the answer is no, or the command is stopped; `invalid_input` if nobody can be asked.
 */
export async function confirm(
  io: CliIo,
  question: string,
  yes: boolean | undefined,
): Promise<void> {
  if (yes === true) return;
  if (io.input.isTTY !== true) {
    throw new KbError(
      "invalid_input",
      `${question} Nobody is there to be asked; say --yes if you mean it`,
    );
  }
  io.err.write(`${question} [y/N] `);
  const decoder = new TextDecoder();
  let answer = "";
  for await (const part of readParts(io)) {
    answer += typeof part === "string" ? part : decoder.decode(part);
    if (answer.includes("\n")) break;
  }
  if (/^y(es)?$/i.test(answer.trim())) return;
  throw new KbError("cancelled", "Nothing was changed");
}
