/**
 * The table of settings in docs/cli.md, written from lib/cli/settings.
 *
 * @module
 */
import { type AnySetting, SETTINGS } from "../../lib/cli/settings/table.ts";

/** Writes the parts of docs/cli.md that say which settings there are. */
export function settingsReference(): ReadonlyMap<string, string> {
  const rows = SETTINGS.map((setting) => [
    setting.inConfig ? `\`${setting.name}\`` : "",
    setting.env.map((name) => `\`${name}\``).join(", "),
    setting.flags.map((flag) => `\`${flag}\``).join(", "),
    setting.kind.meaning,
    describeDefault(setting),
    setting.about,
  ]);
  const head = [
    "`config.jsonc`",
    "variable",
    "option",
    "value",
    "default",
    "what it is for",
  ];
  const table = [head, head.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  return new Map([["settings", table]]);
}

function describeDefault({ byDefault, defaultMeaning }: AnySetting): string {
  if (defaultMeaning !== undefined) return defaultMeaning;
  if (Array.isArray(byDefault)) return "none";
  return `\`${byDefault}\``;
}
