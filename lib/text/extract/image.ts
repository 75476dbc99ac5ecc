import { LIMITS } from "../../core/mod.ts";
import { cleanTitle } from "../frontmatter.ts";
import { readImageFacts } from "./image_facts.ts";
import { readImageParts } from "./image_parts.ts";
import { type Extracted, ExtractError, type ExtractInput } from "./types.ts";

/** Facts that say what an image shows, in the order in which they are written. */
const SHOWN = ["headline", "description", "subject", "comment", "keywords"];
/** Facts about where it comes from. */
const ABOUT = [
  "artist",
  "copyright",
  "city",
  "country",
  "taken",
  "make",
  "model",
];

/**
 * Extracts an image: one section with its bytes as they are, found by the title, description, keywords
 * and further words that the file holds, and by its name.
 */
export function extractImage(
  { bytes, path, mime }: ExtractInput,
): Promise<Extracted> {
  if (bytes.length > LIMITS.imageBytes) {
    throw new ExtractError(
      "too_large",
      `The image has ${bytes.length} bytes, the limit is ${LIMITS.imageBytes}; add a smaller copy.`,
    );
  }
  const parts = readImageParts(bytes, mime);
  if (parts === undefined) {
    throw new ExtractError(
      "corrupted",
      "The image is damaged: its size cannot be read.",
    );
  }
  const facts = readImageFacts(parts);
  const title = cleanTitle(facts.get("title") ?? "") ?? toName(path);
  const lines = [
    ...SHOWN.flatMap((name) => facts.get(name) ?? []),
    ...ABOUT.flatMap((name) => {
      const text = facts.get(name);
      return text === undefined ? [] : [`${name}: ${text}`];
    }),
  ];
  const description = [...new Set(lines)].join("\n")
    .slice(0, LIMITS.descriptionChars).toWellFormed();
  const { width, height } = parts;
  return Promise.resolve({
    title,
    docType: "image",
    tags: [],
    metadata: { width, height, ...Object.fromEntries(facts) },
    warnings: [],
    sections: [{
      title,
      headingPath: [],
      level: 0,
      content: "",
      image: bytes,
      ...(description === "" ? {} : { description }),
      mime,
      lineStart: 1,
      lineEnd: 1,
      links: [],
    }],
  });
}

/** Name of a file without folders and extension, its parts as words. */
function toName(path: string): string {
  const name = path.slice(
    Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1,
  );
  const words = name.replace(/\.[^.]+$/, "").replace(/[_]+/g, " ");
  return cleanTitle(words) ?? "image";
}
