import { createReadStream } from "node:fs";
import { basename, relative, sep } from "node:path";
import { LIMITS } from "../core/mod.ts";
import {
  type FileReport,
  type FileToPlan,
  type FoundFile,
  type Planner,
  storeDocuments,
  withPresent,
} from "../ingest/mod.ts";
import { findDocumentsBy, type Store } from "../store/mod.ts";
import type { ImportContext, ImportItem } from "./import_types.ts";

/** Files of a folder that are not of an export. */
export interface ForeignFiles {
  /** The folder that is imported. */
  readonly root: string;
  /** Files in it. */
  readonly files: readonly FoundFile[];
  /** Collection they go to. */
  readonly collection: string | undefined;
}

/** Takes in files that are not of an export, known by their path from the folder's name on. */
export async function importForeign(
  { store, originals }: ImportContext,
  planner: Planner,
  { root, files, collection }: ForeignFiles,
): Promise<ImportItem[]> {
  const plans = await planner.plan(
    files.map((file) => toPlan(store, root, file)),
  );
  // Before the documents, as a document must not miss its original.
  for (const [index, plan] of plans.entries()) {
    const file = files[index];
    if (plan.document === undefined || file === undefined) continue;
    await originals.receive(createReadStream(file.path), LIMITS.uploadBytes);
  }
  const ids = store.write(() =>
    storeDocuments(
      store,
      plans.flatMap(({ report, document }) => {
        if (document === undefined) return [];
        // A folder that is imported is not watched.
        const { stat: _, ...rest } = document;
        const labelled = {
          ...rest,
          ...(collection === undefined ? {} : { collection }),
        };
        return [withPresent(store, report.path, labelled)];
      }),
    )
  );
  return plans.map(({ report, document }, index): ImportItem => {
    const id = document === undefined ? undefined : ids.shift();
    return {
      item: relative(root, files[index]?.path ?? "").split(sep).join("/"),
      ...toItem(report),
      ...(id === undefined ? {} : { documentId: id }),
    };
  });
}

/** What an import says of a file, from what reading it came to. */
export function toItem(
  { state, reason, documentId }: FileReport,
): Omit<ImportItem, "item"> {
  return {
    state,
    ...(reason === undefined ? {} : { reason }),
    ...(documentId === undefined ? {} : { documentId }),
  };
}

function toPlan(store: Store, root: string, file: FoundFile): FileToPlan {
  const parts = relative(root, file.path).split(sep);
  const path = [basename(root), ...parts].join("/");
  const [known] = findDocumentsBy(store, "source_path", path);
  return {
    file: { ...file, path },
    readPath: file.path,
    known: known && {
      id: known.id,
      contentHash: known.contentHash,
      stat: undefined,
    },
  };
}
