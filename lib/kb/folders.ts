/**
 * What is in a folder and what is gone from it, for a client that sends files to an engine elsewhere. No part of the
 * library.
 *
 * @module
 */
export { findFiles, findGone, stopIfEmpty } from "../ingest/mod.ts";
