/** File name of the database in a base's directory. */
export const DATABASE = "kb.db";
/** Folder of the originals of uploaded files. */
export const ORIGINALS = "files";
/** File of the owner's settings. */
export const CONFIG = "config.jsonc";
/** Everything of a directory that is the base itself. */
export const BASE_FILES: readonly string[] = [
  DATABASE,
  `${DATABASE}-wal`,
  `${DATABASE}-shm`,
  ORIGINALS,
  CONFIG,
];
