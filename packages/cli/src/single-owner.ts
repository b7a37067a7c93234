import { Database, SQLiteError } from "bun:sqlite";

/** After a kill of the main process its planes need a moment to notice, to settle what was open, and to end. */
const PATIENCE_MS = 10_000;
const RETRY_EVERY_MS = 100;

/**
 * Holds the data directory for as long as the process lives, so that a second gateway cannot settle the first
 * one's open calls. The lock is SQLite's own: the system lets it go with the process, however that ends.
 */
export function becomeSingleOwner(lockPath: string, say: (message: string) => void): () => void {
  const lock = new Database(lockPath, { create: true });
  lock.run("PRAGMA locking_mode = EXCLUSIVE");
  const until = performance.now() + PATIENCE_MS;
  let hasSaid = false;
  while (!isLocked(lock)) {
    if (performance.now() >= until) {
      lock.close();
      throw new Error("another Tollgate is running on this data directory");
    }
    if (!hasSaid) say("waiting for another Tollgate on this data directory to end");
    hasSaid = true;
    Bun.sleepSync(RETRY_EVERY_MS);
  }
  return () => lock.close();
}

function isLocked(lock: Database): boolean {
  try {
    lock.run("BEGIN EXCLUSIVE");
    return true;
  } catch (fault) {
    // Anything else (a disk that is full, a folder that cannot be written) is not another Tollgate.
    if (fault instanceof SQLiteError && fault.code === "SQLITE_BUSY") return false;
    throw fault;
  }
}
