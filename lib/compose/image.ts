import { Buffer } from "node:buffer";
import { LIMITS } from "../core/mod.ts";
import { toLabel } from "./markdown.ts";
import type { ComposeReader, ComposeSection } from "./types.ts";

/** Writes an image: in the text itself if it is small, else as a link, its description below. */
export function* toImageBlocks(
  section: ComposeSection,
  reader: Pick<ComposeReader, "readContent">,
): Generator<string> {
  const { id, kbid, sectionType, title, description, size } = section;
  let source = `kbdb://section/${kbid}`;
  if (size <= LIMITS.inlineImageBytes) {
    const base64 = Buffer.from(reader.readContent(id)).toString("base64");
    source = `data:${sectionType};base64,${base64}`;
  }
  yield `![${toLabel(title ?? "image")}](${source})`;
  if (description !== null && description.trim() !== "") {
    yield description.trim();
  }
}
