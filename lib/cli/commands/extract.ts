import { resolve } from "node:path";
import { extractFile, type ExtractReport } from "../../kb/mod.ts";
import { EXIT_ALL_FAILED } from "../exit_codes.ts";
import { formatItems, formatPath, toPrintable } from "../format.ts";
import {
  type CliIo,
  type GlobalOptions,
  writeJson,
  writeLines,
} from "../io.ts";

/** Prints what would be indexed of a file. */
export async function extract(
  io: CliIo,
  path: string,
  options: GlobalOptions,
): Promise<number> {
  const answer = await extractFile(resolve(io.cwd, path));
  if (options.format === "json") writeJson(io, answer);
  else writeLines(io.out, describe(io, answer));
  return answer.document === undefined ? EXIT_ALL_FAILED : 0;
}

function describe(
  io: CliIo,
  { report, document }: ExtractReport,
): string[] {
  const { path, state, reason, warnings = [] } = report;
  const why = reason === undefined ? "" : `: ${toPrintable(reason)}`;
  const lines = [
    `${toPrintable(formatPath(path, io.cwd))}: ${
      state.replaceAll("_", " ")
    }${why}`,
    ...warnings.map((warning) => `warning: ${toPrintable(warning)}`),
  ];
  if (document === undefined) return lines;
  const { title, docType, mime, tags, sections } = document;
  lines.push(
    `${toPrintable(title)} (${docType}, ${mime}), ${
      formatItems(sections.length, "section")
    }`,
  );
  if (tags.length > 0) lines.push(`tags: ${toPrintable(tags.join(", "))}`);
  for (const [index, section] of sections.entries()) {
    const { headingPath, page, lineStart, lineEnd, type, content } = section;
    const place = page === null
      ? `lines ${lineStart}-${lineEnd}`
      : `p. ${page}`;
    const heading = toPrintable(headingPath.join(" > "));
    lines.push("", `--- ${index + 1}, ${place}  ${heading}`.trimEnd());
    const about = [section.title, section.description].filter((text) =>
      text !== null
    );
    lines.push(
      content === ""
        ? `[${type}, ${section.sizeBytes} bytes] ${
          toPrintable(about.join(": "))
        }`
        : content.split("\n").map(toPrintable).join("\n"),
    );
  }
  return lines;
}
