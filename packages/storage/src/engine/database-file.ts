import type { Database } from "bun:sqlite";
import { chmodSync, rmSync, statSync } from "node:fs";

export const CHECK_FILE_EVERY_MS = 500;

/** `missing`: no file has that name any more. `replaced`: another file has it. */
export type FileState = "there" | "missing" | "replaced";

/**
 * Tracks a database by the opened file, not by its name. A removed or replaced file still accepts writes, but they are
 * lost when the process ends.
 */
export class DatabaseFile {
  #opened: string | null;
  #state: FileState = "there";
  /** The write-ahead log and its index, from when the file was last in place. */
  #logFiles = new Map<string, string>();

  /** The database must be open already. */
  constructor(readonly path: string) {
    this.#opened = identityOf(path);
    this.#rememberLogFiles();
  }

  /** The write-ahead log. */
  get logPath(): string {
    return `${this.path}-wal`;
  }

  /** As of the last check. */
  get state(): FileState {
    return this.#state;
  }

  get isLost(): boolean {
    return this.#state !== "there";
  }

  look(): FileState {
    const identity = identityOf(this.path);
    if (identity === this.#opened) {
      this.#state = "there";
      this.#rememberLogFiles();
    } else {
      this.#state = identity === null ? "missing" : "replaced";
      if (this.#state === "replaced") this.#removeLog();
    }
    return this.#state;
  }

  /** Call after reopening the database. */
  reopened(): void {
    this.#opened = identityOf(this.path);
    this.#state = "there";
    this.#rememberLogFiles();
  }

  #rememberLogFiles(): void {
    for (const file of [this.logPath, `${this.path}-shm`]) {
      const identity = identityOf(file);
      if (identity !== null) this.#logFiles.set(file, identity);
    }
  }

  /**
   * SQLite would mistake our log for the new file's and copy it into that file. Processes with the log open keep it; a
   * log that came with the new file stays.
   */
  #removeLog(): void {
    for (const [file, identity] of this.#logFiles)
      if (identityOf(file) === identity) rmSync(file, { force: true });
    this.#logFiles.clear();
  }
}

/** Returns a check that reports the loss of the file and each later change. Call it every `CHECK_FILE_EVERY_MS`. */
export function fileCheck(file: DatabaseFile, changed: (state: FileState) => void): () => void {
  let last = file.state;
  return () => {
    const state = file.look();
    if (state === last) return;
    changed(state);
    // The callback may have reopened the file.
    last = file.state;
  };
}

/**
 * Saves a database whose file is lost before its last connection closes: under its old name if that is free, otherwise
 * beside it. Returns the path; null: the file is in place.
 */
export function saveLostDatabase(database: Database, file: DatabaseFile): string | null {
  const state = file.look();
  if (state === "there") return null;
  const target = state === "missing" ? file.path : `${file.path}.rescued-${Date.now()}`;
  database.query("VACUUM INTO ?").run(target);
  chmodSync(target, 0o600);
  return target;
}

/** The inode number of an open file is never reused. */
function identityOf(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev} ${found.ino}`;
}
