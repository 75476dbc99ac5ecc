import { LIMITS, sha256, toHex, toKbidOfHash } from "../core/mod.ts";
import { isCurrent, readAgent } from "../ingest/mod.ts";
import {
  findDocument,
  findSection,
  iterateSections,
  listAgentIds,
  listDatabaseFaults,
  listHollowDocuments,
  listStaleJobs,
  listStoredVectors,
  listUnplacedSections,
  readStats,
  type Store,
  type StoredSection,
} from "../store/mod.ts";
import { findImageType } from "../text/mod.ts";
import { checkReferences } from "./check_references.ts";
import type {
  CheckError,
  CheckReport,
  UpkeepProgress,
} from "./section_types.ts";

/**
 * Verifies a base: the database, its word index, the hashes of contents and vectors, what belongs
 * to nothing, and every reference.
 *
 * @param store Open store.
 * @param onProgress Called as sections are done.
 */
export function checkBase(
  store: Store,
  onProgress?: (progress: UpkeepProgress) => void,
): CheckReport {
  const errors: CheckError[] = [];
  let omitted = 0;
  function add(error: CheckError): void {
    if (errors.length < LIMITS.checkErrors) errors.push(error);
    else omitted++;
  }
  const stats = readStats(store);
  listDatabaseFaults(store).forEach(add);
  let done = 0;
  for (const section of iterateSections(store)) {
    checkSection(store, section).forEach(add);
    done++;
    if (done % 500 === 0) onProgress?.({ done, total: stats.sections });
  }
  checkBelonging(store).forEach(add);
  let references = checkAgents(store, add);
  const links = checkReferences(store);
  let link = links.next();
  for (; link.done !== true; link = links.next()) add(link.value);
  references += link.value;
  return {
    ok: errors.length === 0,
    errors,
    omitted,
    sectionsChecked: done,
    documentsChecked: stats.documents,
    referencesChecked: references,
  };
}

/** Compares a section with its name, its type and the vectors of its chunks. */
function checkSection(store: Store, section: StoredSection): CheckError[] {
  const { id, kbid, sectionType, content, contentSha256 } = section;
  const found: CheckError[] = [];
  const hash = sha256(content);
  if (toKbidOfHash(hash) !== kbid || toHex(hash) !== toHex(contentSha256)) {
    found.push({
      type: "checksum_mismatch",
      entity: kbid,
      detail:
        "the content is not what was stored; restore it from a backup, or unlearn it",
    });
  }
  const isBytes = typeof content !== "string";
  const imageType = isBytes ? findImageType(content) : undefined;
  if (isBytes !== sectionType.startsWith("image/")) {
    found.push({
      type: "type_mismatch",
      entity: kbid,
      detail: `the type is ${sectionType}, the content is ${
        isBytes ? "bytes" : "text"
      }`,
    });
  } else if (imageType !== undefined && imageType !== sectionType) {
    found.push({
      type: "type_mismatch",
      entity: kbid,
      detail: `the type is ${sectionType}, the bytes are ${imageType}`,
    });
  } else if (sectionType === "skill" && !isSkill(String(content))) {
    found.push({
      type: "type_mismatch",
      entity: kbid,
      detail: "the content is no skill",
    });
  }
  const stale = listStoredVectors(store, id).filter((vector) =>
    !isCurrent(vector)
  );
  if (stale.length > 0) {
    found.push({
      type: "checksum_mismatch",
      entity: kbid,
      detail: `${stale.length} vectors are of another text; rebuild drops them`,
    });
  }
  return found;
}

function isSkill(content: string): boolean {
  try {
    const value: unknown = JSON.parse(content);
    return typeof value === "object" && value !== null && "name" in value &&
      "body" in value;
  } catch {
    return false;
  }
}

/** Finds what belongs to nothing, and jobs that nobody works on. */
function checkBelonging(store: Store): CheckError[] {
  return [
    ...listUnplacedSections(store).filter(({ standalone }) => !standalone).map(
      ({ kbid }): CheckError => ({
        type: "orphan_section",
        entity: kbid,
        detail:
          "no document has it and it was not learned on its own; gc removes it",
      }),
    ),
    ...listHollowDocuments(store).map((docid): CheckError => ({
      type: "orphan_document",
      entity: docid,
      detail: "it has no section; remove it",
    })),
    ...listStaleJobs(store).map((id): CheckError => ({
      type: "stale_job",
      entity: `job ${id}`,
      detail: "its lease ran out; it is taken up again by the next run",
    })),
  ];
}

/** Follows the references of agents to their skills; answers how many there are. */
function checkAgents(store: Store, add: (error: CheckError) => void): number {
  let checked = 0;
  for (const id of listAgentIds(store)) {
    const document = findDocument(store, id);
    if (document === undefined) continue;
    for (const kbid of readAgent(document.metadata).skills) {
      checked++;
      const section = findSection(
        store,
        kbid as Parameters<typeof findSection>[1],
      );
      if (section === undefined) {
        add({
          type: "broken_reference",
          entity: document.docid,
          detail: `its skill ${kbid} is gone`,
        });
      } else if (section.sectionType !== "skill") {
        add({
          type: "type_mismatch",
          entity: document.docid,
          detail:
            `its skill ${kbid} is a section of type ${section.sectionType}`,
        });
      }
    }
  }
  return checked;
}
