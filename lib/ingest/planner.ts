import type { MeasureSource } from "./measure.ts";
import {
  type FilePlan,
  type FileToPlan,
  planFile,
  type PlanFileOptions,
  readChanged,
} from "./plan_file.ts";

/** Reads files and decides what is to be done about each. */
export interface Planner extends AsyncDisposable {
  /**
   * Plans a batch. Batches may be given before earlier ones are done.
   *
   * @returns One plan a file, in the order given.
   */
  plan(batch: readonly FileToPlan[]): Promise<FilePlan[]>;
}

/** What a planning worker is told first. */
export interface PlannerSetup {
  /** How chunks are measured. */
  readonly source: MeasureSource;
  /** Tags of every file. */
  readonly tags?: readonly string[];
  /** Collection of every file. */
  readonly collection?: string;
  /** Whether the files in archives are taken too. */
  readonly takesArchives?: boolean;
}

/** A file with the number that its plan is known by, from 1. */
export interface NumberedFile {
  /** Never used twice by one planner. */
  readonly number: number;
  /** The file. */
  readonly item: FileToPlan;
}

/** What a planning worker is sent. */
export type ToPlanner =
  | {
    readonly type: "setup";
    readonly setup: PlannerSetup;
    /**
     * Two `Int32`: the number of the file at hand, 0 between files, and how many files in archives
     * were begun.
     */
    readonly atHand: SharedArrayBuffer;
  }
  | { readonly type: "plan"; readonly files: readonly NumberedFile[] };

/** What it answers for each file, in order. */
export type FromPlanner =
  | { readonly type: "plan"; readonly number: number; readonly plan: FilePlan }
  | {
    readonly type: "failed";
    readonly number: number;
    readonly message: string;
  };

/**
 * A planner in the calling thread, for little text. Files that must be read where that can be ended
 * are handed to another planner, which is opened for the first of them.
 *
 * @param options How files are planned.
 * @param openOther Opens a planner in a thread of its own.
 */
export function localPlanner(
  options: PlanFileOptions,
  openOther: () => Planner,
): Planner {
  let other: Planner | undefined;
  return {
    async plan(batch): Promise<FilePlan[]> {
      const read = await Promise.all(batch.map(readChanged));
      const plans: (FilePlan | undefined)[] = [];
      for (const file of read) {
        plans.push(await planFile(file, { ...options, leavesHeavy: true }));
      }
      const left = batch.filter((_, index) => plans[index] === undefined);
      if (left.length === 0) return plans.filter((plan) => plan !== undefined);
      const others = await (other ??= openOther()).plan(left);
      return plans.map((plan) => plan ?? takeNext(others));
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await other?.[Symbol.asyncDispose]();
    },
  };
}

function takeNext(plans: FilePlan[]): FilePlan {
  const plan = plans.shift();
  if (plan === undefined) throw new TypeError("A planner owes a plan");
  return plan;
}
