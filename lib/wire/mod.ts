/**
 * What a base says, as JSON records in snake case: REST and the `kb_*` tools answer with these, and
 * each adds what only it has.
 *
 * @module
 */
export {
  JOB_STATUSES,
  toDocumentJson,
  toJobJson,
  toStatusJson,
} from "./records.ts";
