import { findBaseDir, findNamedDir, hasBase } from "../base_dir.ts";
import { formatPath } from "../format.ts";
import type { CliIo, GlobalOptions } from "../io.ts";
import { writeListing } from "../output/write.ts";
import { readSources, type Resolved } from "../settings/resolve.ts";
import { type AnySetting, BASE_DIR, SETTINGS } from "../settings/table.ts";

/** Shows every setting and where its value comes from; keys are masked. */
export async function config(
  io: CliIo,
  options: GlobalOptions,
): Promise<number> {
  const dir = findBaseDir(io, options.db);
  const base: Resolved<unknown> = findNamedDir(io, options.db) ??
    { value: dir, source: "default", from: "" };
  const sources = await readSources(io, dir);
  const shown = SETTINGS.map((setting) => {
    const { value, ...rest } = setting.name === BASE_DIR.name
      ? base
      : sources.get(setting);
    return { setting, value: setting.isSecret ? mask(value) : value, ...rest };
  });
  const { configPath, hasConfig } = sources;
  const place = formatPath(configPath, io.cwd);
  await writeListing(io, options, {
    json: {
      dir,
      exists: hasBase(dir),
      configPath,
      hasConfig,
      settings: shown.map(({ setting, value, source, from }) => ({
        name: setting.name,
        value: value ?? null,
        source,
        from,
        about: setting.about,
      })),
    },
    rows: shown.map(({ setting, value, source, from }) => ({
      name: setting.name,
      value: describe(setting, value),
      source: source === "default" ? source : formatPath(from, io.cwd),
    })),
    columns: [
      { name: "name", value: ({ name }) => name },
      { name: "value", value: ({ value }) => value },
      { name: "source", value: ({ source }) => source },
    ],
    notes: options.format === "json"
      ? []
      : [`note: ${place} ${hasConfig ? "is read" : "is not there"}`],
  });
  return 0;
}

/** Leaves of each key what it may do. */
function mask(keys: unknown): string[] {
  const given = keys === undefined ? [] : [keys].flat();
  return given.map((key) =>
    `********${/:(read|write|admin)$/.exec(String(key).trim())?.[0] ?? ""}`
  );
}

function describe(
  { defaultMeaning = "none" }: AnySetting,
  value: unknown,
): string {
  const isEmpty = value === undefined ||
    (Array.isArray(value) && value.length === 0);
  if (isEmpty) return `(${defaultMeaning.replaceAll("`", "")})`;
  return Array.isArray(value) ? value.join(", ") : String(value);
}
