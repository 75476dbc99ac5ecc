/**
 * From sections to one Markdown text, and to answers of bounded size. Pure: reads through an
 * interface that it is handed.
 *
 * @module
 */
export { composeMarkdown } from "./compose.ts";
export { recall } from "./recall.ts";
export type * from "./recall_types.ts";
export type * from "./types.ts";
