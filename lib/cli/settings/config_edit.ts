import {
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { applyEdits, modify } from "jsonc-parser";
import { parseConfig } from "./config_file.ts";

/**
 * Sets one setting in a `config.jsonc` and leaves everything else as it is written, comments too. The file is made
 * where there is none, with mode 0600.
 *
 * @throws {KbError} `invalid_input` if the file is wrong; it is left alone then.
 */
export function setConfig(
  path: string,
  name: string,
  value: string | number | boolean,
): void {
  const before = existsSync(path) ? readFileSync(path, "utf8") : "";
  parseConfig(path, before);
  const text = before.trim() === "" ? "{}\n" : before;
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const after = applyEdits(
    text,
    modify(text, [name], value, {
      formattingOptions: { insertSpaces: true, tabSize: 2, eol },
    }),
  );
  parseConfig(path, after);
  const partial = `${path}.new`;
  try {
    writeFileSync(partial, after, { mode: 0o600 });
    renameSync(partial, path);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}
