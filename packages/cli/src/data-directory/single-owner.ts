import { Database, SQLiteError } from "bun:sqlite";
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { namingFile } from "@tollgate/storage/engine/naming-file";
import { UsageError } from "../config/usage-error.ts";

const RETRY_EVERY_MS = 50;

interface OwnerOptions {
  /** How long the current owner may take to end. */
  readonly patienceMs: number;
  /** Called once if the owner does not end immediately. */
  readonly onWait?: () => void;
  /** The error message if the owner does not end in time. */
  readonly refusal: () => string;
}

/**
 * Holds a lock file for the life of the process, so that a second gateway cannot settle the first one's open calls.
 * The lock is SQLite's: the operating system releases it when the process ends, in whatever way.
 */
export function becomeSingleOwner(lockPath: string, options: OwnerOptions): () => void {
  const lock = openLock(lockPath);
  lock.run("PRAGMA locking_mode = EXCLUSIVE");
  const until = performance.now() + options.patienceMs;
  let hasWaited = false;
  while (!tryToLock(lock, "BEGIN EXCLUSIVE")) {
    if (performance.now() >= until) {
      lock.close();
      throw new UsageError(options.refusal());
    }
    if (!hasWaited) options.onWait?.();
    hasWaited = true;
    Bun.sleepSync(RETRY_EVERY_MS);
  }
  return () => lock.close();
}

function openLock(path: string): Database {
  try {
    return new Database(path, { create: true });
  } catch (fault) {
    if (!(fault instanceof SQLiteError && fault.code === "SQLITE_CANTOPEN")) throw fault;
    throw new UsageError(`the data directory ${dirname(path)} cannot be written by this user`);
  }
}

/** Whether a running process owns it. A lock file that a dead one left behind is not owned. */
export function isOwned(lockPath: string): boolean {
  if (!existsSync(lockPath)) return false;
  const lock = new Database(lockPath, { readonly: true });
  try {
    return !tryToLock(lock, "SELECT 1 FROM sqlite_schema");
  } finally {
    lock.close();
  }
}

function tryToLock(lock: Database, statement: string): boolean {
  try {
    namingFile(lock.filename, () => lock.run(statement));
    return true;
  } catch (fault) {
    // Anything else (a disk that is full, a folder that cannot be written) is not another Tollgate.
    if (fault instanceof SQLiteError && fault.code === "SQLITE_BUSY") return false;
    throw fault;
  }
}
