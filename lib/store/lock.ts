import { DatabaseSync } from "node:sqlite";
import { chmodSync } from "node:fs";

/**
 * Takes a lock that one process has at a time, and that is free again when the process ends, however it does.
 *
 * @param path File of the lock; made if it is not there. Nothing is kept in it.
 * @returns `undefined` if another process, or this one, has it.
 */
export function takeLock(path: string): Disposable | undefined {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    chmodSync(path, 0o600);
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    const isTaken = error instanceof Error &&
      /database is locked/.test(error.message);
    if (isTaken) return undefined;
    throw error;
  }
  return { [Symbol.dispose]: () => database.close() };
}
