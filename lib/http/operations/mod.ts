/**
 * The operations of the facade that kbdb's own client calls over HTTP.
 *
 * @module
 */
export { answerCall } from "./answer.ts";
export type { Operation } from "./operation.ts";
export { OPERATIONS } from "./table.ts";
