import { basename } from "node:path";
import { LIMITS } from "../core/mod.ts";
import {
  type ArchiveBudget,
  type Extracted,
  ExtractError,
  readArchive,
} from "../text/mod.ts";
import type { FilePlan, PlanFileOptions, ReadFile } from "./plan_file.ts";

/** What stands between an archive and the name of a file in it. */
export const INSIDE = "!/";

/** The archives around a file, and what may still come out of them. */
export interface ArchiveState {
  /** 1 in an archive, 2 in one in it. */
  readonly depth: number;
  /** Bounds of all of them together. */
  readonly budget: ArchiveBudget;
}

/** What came out of an archive. */
export interface UnpackedArchive {
  /** The list of what is in it. */
  readonly extracted: Extracted;
  /** The plans of its files, those of archives in it behind their own. */
  readonly members: readonly FilePlan[];
}

/** Plans a file in an archive. */
export type PlanMember = (
  file: ReadFile,
  options: PlanFileOptions,
) => Promise<FilePlan | undefined>;

/**
 * Unpacks an archive and plans each file in it as a document of its own, whose path is
 * `archive.zip!/path/in/it`.
 *
 * @param planMember Plans a file in it as any other file.
 * @throws {ExtractError} If the archive is damaged or past a bound; none of its files is taken then.
 */
export async function unpackArchive(
  read: ReadFile & { readonly bytes: Uint8Array },
  mime: string,
  options: PlanFileOptions,
  planMember: PlanMember,
): Promise<UnpackedArchive> {
  const { file: { path }, knownMembers, seenMs } = read;
  const { depth, budget } = options.archive ?? startState();
  if (depth > LIMITS.archiveDepth) {
    throw new ExtractError(
      "too_large",
      `The archive is nested deeper than ${LIMITS.archiveDepth} archives.`,
    );
  }
  const inner = { ...options, archive: { depth: depth + 1, budget } };
  const members: FilePlan[] = [];
  const names: string[] = [];
  for (const member of readArchive(read.bytes, mime, basename(path), budget)) {
    options.onMember?.();
    const memberPath = `${path}${INSIDE}${member.name}`;
    names.push(member.name);
    if ("state" in member) {
      const { state, reason } = member;
      members.push({
        report: { path: memberPath, state, reason: `${reason}.` },
        readBytes: 0,
      });
      continue;
    }
    const plan = await planMember({
      file: { path: memberPath, sizeBytes: member.bytes.length, mtimeMs: 0 },
      known: knownMembers?.get(memberPath),
      ...(knownMembers === undefined ? {} : { knownMembers }),
      seenMs,
      bytes: member.bytes,
    }, inner);
    if (plan === undefined) continue;
    const { members: nested = [], ...own } = plan;
    members.push(own, ...nested);
  }
  return { extracted: toContents(names), members };
}

function startState(): ArchiveState {
  return {
    depth: 1,
    budget: {
      bytes: LIMITS.inflatedBytes,
      entries: LIMITS.archiveEntries,
      memberBytes: LIMITS.fileBytes,
      ratio: LIMITS.archiveRatio,
    },
  };
}

/** The list of what is in an archive, as a text. */
function toContents(names: readonly string[]): Extracted {
  return {
    title: null,
    docType: "archive",
    tags: [],
    metadata: { entries: names.length },
    warnings: [],
    sections: names.length === 0 ? [] : [{
      title: null,
      headingPath: [],
      level: 0,
      content: names.map((name) => `- ${name}`).join("\n"),
      mime: "text/markdown",
      lineStart: 1,
      lineEnd: 1,
      links: [],
    }],
  };
}
