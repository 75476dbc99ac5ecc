import type { Kbid, SectionId } from "../core/mod.ts";
import {
  findSectionHeadById,
  hasDocumentsBelow,
  type LinkRow,
  listLinksAfter,
  type Store,
} from "../store/mod.ts";
import { isTextName } from "../text/mod.ts";
import { findCycles } from "./cycles.ts";
import { type LinkTarget, ReferenceResolver } from "./references.ts";
import type { CheckError } from "./section_types.ts";

/** Links read at a time. */
const PAGE = 1_000;
/** Sections and documents of a circle that are named. */
const NAMED = 20;

/**
 * Checks all references: finds those that lead nowhere, and texts that embed themselves.
 *
 * A link counts as broken if no document or section has that name, id or path, or the document has
 * no such heading. Not broken is a link to what a base never holds: an image, a file whose extension
 * is not that of a text, a folder, a name without an extension in a path (it may be a folder). No
 * file is looked at, so a text file that exists but was never added is reported.
 *
 * Reads links page by page, then holds one number pair for each embedding. Run it inside
 * `Store.read` if others may write.
 *
 * @param store Open store.
 * @returns Faults one by one, `entity` being the kbid of the section that has the link; at the end
 * the number of references looked at.
 */
export function* checkReferences(store: Store): Generator<CheckError, number> {
  const resolver = new ReferenceResolver(store);
  const embeds = new EmbedGraph();
  let checked = 0;
  let after = 0;
  for (;;) {
    const links = listLinksAfter(store, after, PAGE);
    for (const link of links) {
      checked++;
      after = link.id;
      const target = resolver.resolve(link);
      if (link.type === "embed") embeds.add(link, target);
      if (target.kind === "missing" && isBroken(store, link, target)) {
        yield {
          type: "broken_reference",
          entity: kbidOf(store, link.sectionId),
          detail:
            `The ${link.type} "${link.target}" leads nowhere: ${target.reason}`,
        };
      }
    }
    if (links.length < PAGE) break;
  }
  for (const cycle of findCycles(embeds.edges, NAMED)) {
    const sections = cycle.nodes.filter((node) => node > 0) as SectionId[];
    yield {
      type: "circular_reference",
      entity: kbidOf(store, sections[0]),
      detail: describe(store, sections, cycle.length > NAMED),
    };
  }
  return checked;
}

/** The kbid of a section; its integer id where the row is gone. */
function kbidOf(store: Store, id: SectionId | undefined): Kbid | string {
  if (id === undefined) return "";
  return findSectionHeadById(store, id)?.kbid ?? `section ${id}`;
}

/** Says whether a link that leads to nothing should lead to something in the base. */
function isBroken(
  store: Store,
  { type, target, targetPath }: LinkRow,
  missing: LinkTarget & { kind: "missing" },
): boolean {
  if (missing.document !== undefined || /^(?:kbdb:|#)/i.test(target)) {
    return true;
  }
  if (type === "image") return false;
  const name = target.split(/[#?]/, 1)[0] ?? "";
  if (name.endsWith("/")) return false;
  const last = name.slice(name.lastIndexOf("/") + 1);
  const hasExtension = /\.[a-z][a-z0-9]{0,11}$/i.test(last);
  if (type === "wikilink" || type === "embed") {
    return !hasExtension || isTextName(last);
  }
  return hasExtension && isTextName(last) &&
    (targetPath === null || !hasDocumentsBelow(store, targetPath));
}

/** Names the sections of a circle, the first once more at the end. */
function describe(
  store: Store,
  sections: readonly SectionId[],
  isCut: boolean,
): string {
  const names = sections.map((id) => {
    const head = findSectionHeadById(store, id);
    return `"${head?.title ?? head?.kbid ?? id}"`;
  });
  const text = [...names, ...(isCut ? ["…"] : []), names[0]].join(" > ");
  return `The text embeds itself and is shown without the last embedding: ${text}`;
}

/**
 * Which sections embed what. A document stands between those who embed it and its own sections, so
 * that there are no more edges than embeddings and their sections.
 */
class EmbedGraph {
  /** Sections by id, documents by id with a minus before it. */
  readonly edges: Map<number, Set<number>> = new Map();

  /** Notes an embedding. */
  add({ documentId, sectionId }: LinkRow, target: LinkTarget): void {
    if (target.kind === "missing") return;
    this.#connect(
      sectionId,
      target.kind === "section" ? target.sectionId : -target.document.id,
    );
    // Only sections that embed something can be a part of a circle.
    if (documentId !== null) this.#connect(-documentId, sectionId);
  }

  #connect(from: number, to: number): void {
    const known = this.edges.get(from);
    if (known === undefined) this.edges.set(from, new Set([to]));
    else known.add(to);
  }
}
