import { Database } from "bun:sqlite";

/**
 * Holds the data directory for as long as the process lives, so that a second gateway cannot settle the first
 * one's open calls. The lock is SQLite's own: the system lets it go with the process, however that ends.
 */
export function becomeSingleOwner(lockPath: string): () => void {
  const lock = new Database(lockPath, { create: true });
  try {
    lock.run("PRAGMA locking_mode = EXCLUSIVE");
    lock.run("BEGIN EXCLUSIVE");
  } catch {
    lock.close();
    throw new Error("another Tollgate is running on this data directory");
  }
  return () => lock.close();
}
