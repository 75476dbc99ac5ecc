import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { KbError } from "../../core/mod.ts";
import type { CliIo } from "../io.ts";
import type { Setting } from "./table.ts";

/** Name of the file in a base's directory that holds its settings. */
export const CONFIG_NAME = "config.jsonc";

/** A value and who said so. */
export interface Resolved<T> {
  /** The value. */
  readonly value: T;
  /** Where it is from. */
  readonly source: "flag" | "environment" | "config" | "default";
  /** Name of the option, variable or file; blank for a default. */
  readonly from: string;
}

/** The places settings come from, for one base. */
export interface Sources {
  /** Path of the base's `config.jsonc`. */
  readonly configPath: string;
  /** Whether that file is there. */
  readonly hasConfig: boolean;
  /**
   * Says what a setting is: option, else environment, else file, else default.
   *
   * @param flag Value of the option; `undefined` if it is not given.
   * @throws {KbError} `invalid_input` if the environment says what the setting does not take.
   */
  get<T, D extends T | undefined>(
    setting: Setting<T, D>,
    flag?: T,
  ): Resolved<T | D>;
}

/**
 * Reads where the settings of a base come from.
 *
 * @param dir Directory of the base, there or not.
 * @throws {KbError} `invalid_input` if its `config.jsonc` is wrong.
 */
export async function readSources(io: CliIo, dir: string): Promise<Sources> {
  const configPath = join(dir, CONFIG_NAME);
  const hasConfig =
    statSync(configPath, { throwIfNoEntry: false })?.isFile() === true;
  // Loaded only where there is a file, so that other commands start no slower.
  const config = hasConfig
    ? (await import("./config_file.ts")).parseConfig(
      configPath,
      readFileSync(configPath, "utf8"),
    )
    : new Map<string, unknown>();
  return {
    configPath,
    hasConfig,
    get<T, D extends T | undefined>(
      setting: Setting<T, D>,
      flag?: T,
    ): Resolved<T | D> {
      if (flag !== undefined) {
        const from = setting.flags[0]?.split(" ").at(-1) ?? "";
        return { value: flag, source: "flag", from };
      }
      const given = readVariable(io, setting);
      if (given !== undefined) return given;
      const value = config.get(setting.name);
      if (setting.kind.accepts(value)) {
        return { value, source: "config", from: configPath };
      }
      return { value: setting.byDefault, source: "default", from: "" };
    },
  };
}

/**
 * Reads a setting from the environment.
 *
 * @returns `undefined` if no variable is set, or only to a blank text.
 * @throws {KbError} `invalid_input` if the setting does not take it.
 */
export function readVariable<T>(
  { env }: CliIo,
  { env: names, kind, isSecret }: Setting<T, T | undefined>,
): Resolved<T> | undefined {
  const from = names.find((name) => (env[name] ?? "").trim() !== "");
  if (from === undefined) return undefined;
  const text = (env[from] ?? "").trim();
  const value = kind.read(text);
  if (kind.accepts(value)) return { value, source: "environment", from };
  const shown = isSecret ? "" : ` is "${text}",`;
  throw new KbError(
    "invalid_input",
    `Cannot use ${from}: it${shown} must be ${kind.meaning}`,
  );
}
