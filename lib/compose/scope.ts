import { LIMITS } from "../core/mod.ts";
import type { ComposeItem, ComposeReader } from "./types.ts";

/** Names an item in one composition. */
function keyOf(item: ComposeItem): string {
  return item.kind === "document"
    ? `document ${item.document.id}`
    : `section ${item.section.id}`;
}

/** What one composition knows of what it has written, so that nothing is embedded twice or in itself. */
export class ComposeScope {
  /** What is read from. */
  readonly reader: ComposeReader;
  readonly #states: Map<string, "open" | "written"> = new Map();
  #depth = 0;

  /** Begins a composition. */
  constructor(reader: ComposeReader) {
    this.reader = reader;
  }

  /** Why an item is not embedded here; `undefined` if it is. */
  refuse(item: ComposeItem): string | undefined {
    const state = this.#states.get(keyOf(item));
    if (state === "open") return "not embedded: it embeds this text";
    if (state === "written") return "not embedded again: it stands above";
    return this.#depth >= LIMITS.embedDepth
      ? `not embedded: nested deeper than ${LIMITS.embedDepth}`
      : undefined;
  }

  /** Writes an item; while that goes on the item is open. */
  *write(item: ComposeItem, blocks: Iterable<string>): Generator<string> {
    const key = keyOf(item);
    // One that is open stays so for what is around it.
    const before = this.#states.get(key);
    this.#states.set(key, "open");
    yield* blocks;
    this.#states.set(key, before === "open" ? "open" : "written");
  }

  /** Writes what is embedded, which is one nesting deeper. */
  *embed(blocks: Iterable<string>): Generator<string> {
    this.#depth++;
    yield* blocks;
    this.#depth--;
  }
}
