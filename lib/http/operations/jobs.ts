import { z } from "zod";
import { JOB_STATUSES } from "../../wire/mod.ts";
import {
  type JobOperation,
  operation,
  type OperationTable,
} from "./operation.ts";
import * as of from "./schemas.ts";

/** Operations on the queue. */
export const JOB_OPERATIONS: OperationTable<JobOperation> = {
  "jobs.submitNote": operation(
    "jobs.submitNote",
    "write",
    z.tuple([of.text, of.noteOptions.exactOptional()]),
    (kb, args) => kb.jobs.submitNote(...args),
  ),
  "jobs.checkFile": operation(
    "jobs.checkFile",
    "read",
    z.tuple([of.text, of.submitOptions.exactOptional()]),
    (kb, args) => kb.jobs.checkFile(...args),
  ),
  "jobs.submitReceived": operation(
    "jobs.submitReceived",
    "write",
    z.tuple([of.text, of.receivedFile, of.submitOptions.exactOptional()]),
    (kb, args) => kb.jobs.submitReceived(...args),
  ),
  "jobs.list": operation(
    "jobs.list",
    "read",
    z.tuple([
      z.strictObject({
        status: z.enum(JOB_STATUSES).exactOptional(),
        limit: of.count.exactOptional(),
        offset: of.count.exactOptional(),
      }).exactOptional(),
    ]),
    (kb, args) => kb.jobs.list(...args),
  ),
  "jobs.get": operation(
    "jobs.get",
    "read",
    of.oneId,
    (kb, args) => kb.jobs.get(...args),
  ),
  "jobs.cancel": operation(
    "jobs.cancel",
    "write",
    of.oneId,
    (kb, args) => kb.jobs.cancel(...args),
  ),
  "jobs.retry": operation(
    "jobs.retry",
    "write",
    of.oneId,
    (kb, args) => kb.jobs.retry(...args),
  ),
  "jobs.sweep": operation(
    "jobs.sweep",
    "admin",
    of.none,
    (kb) => kb.jobs.sweep(),
  ),
  "jobs.release": operation(
    "jobs.release",
    "write",
    z.tuple([of.texts]),
    (kb, args) => kb.jobs.release(...args),
  ),
};
