import type { DocumentId } from "../core/mod.ts";
import type { Measure, Originals, Planner } from "../ingest/mod.ts";
import type { Store } from "../store/mod.ts";

/** How to import. */
export interface ImportOptions {
  /** Collection of files that are not of an export. */
  readonly collection?: string;
  /** Whether documents that changed later in the base are replaced too. */
  readonly overwrite?: boolean;
  /** Stops between batches; what is stored stays. */
  readonly signal?: AbortSignal;
}

/** What became of one file or line. */
export interface ImportItem {
  /** Path in the folder, or `line N`. */
  readonly item: string;
  /** `added`, `updated`, `unchanged`; `kept`: the base has a later one; `failed`; for a file of another origin its state. */
  readonly state: string;
  /** Why, where the state does not say all. */
  readonly reason?: string;
  /** Document it is. */
  readonly documentId?: DocumentId;
}

/** What an import came to. */
export interface ImportReport {
  /** Folder or file. */
  readonly path: string;
  /** One entry an item. */
  readonly items: readonly ImportItem[];
  /** Items by state. */
  readonly counts: Readonly<Record<string, number>>;
}

/** What an import works with. */
export interface ImportContext {
  /** Open store. */
  readonly store: Store;
  /** How chunks are measured. */
  readonly measure: Measure;
  /** Opens what reads files of all formats. */
  readonly openPlanner: () => Planner;
  /** The originals of the base. */
  readonly originals: Originals;
}
