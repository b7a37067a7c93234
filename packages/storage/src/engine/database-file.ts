import type { Database } from "bun:sqlite";
import { chmodSync, rmSync, statSync } from "node:fs";

const LOOK_EVERY_MS = 500;

/** `missing`: nothing has that name any more. `replaced`: another file has it. */
export type FileState = "there" | "missing" | "replaced";

/**
 * Tracks a database by the file that was opened, not by its name. A file that was removed or replaced still accepts
 * writes, and everything written is gone when the process ends.
 */
export class DatabaseFile {
  #opened: string | null;
  #state: FileState = "there";
  /** The write-ahead log and its index, as of when the file was last in place. */
  #beside = new Map<string, string>();

  /** The database must be open already. */
  constructor(readonly path: string) {
    this.#opened = identityOf(path);
    this.#noteLog();
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
      this.#noteLog();
    } else {
      this.#state = identity === null ? "missing" : "replaced";
      if (this.#state === "replaced") this.#removeLog();
    }
    return this.#state;
  }

  /** It was opened again. */
  reopened(): void {
    this.#opened = identityOf(this.path);
    this.#state = "there";
    this.#noteLog();
  }

  #noteLog(): void {
    for (const file of [`${this.path}-wal`, `${this.path}-shm`]) {
      const identity = identityOf(file);
      if (identity !== null) this.#beside.set(file, identity);
    }
  }

  /**
   * SQLite would mistake our log for the other file's and copy it into that file. Processes that have the log open
   * keep it; a log that came with the other file stays.
   */
  #removeLog(): void {
    for (const [file, identity] of this.#beside)
      if (identityOf(file) === identity) rmSync(file, { force: true });
    this.#beside.clear();
  }
}

/** Reports when the file is lost, and each later change. The timer does not keep the process alive. */
export function watchDatabaseFile(
  file: DatabaseFile,
  changed: (state: FileState) => void,
): { readonly close: () => void } {
  let last = file.state;
  const timer = setInterval(() => {
    const state = file.look();
    if (state === last) return;
    changed(state);
    // The callback may have reopened the file.
    last = file.state;
  }, LOOK_EVERY_MS);
  timer.unref();
  return { close: () => clearInterval(timer) };
}

/**
 * Writes a database whose file is lost to disk again before its last connection is closed: under its name if that is
 * free, otherwise beside it. Returns the path; null: the file is in place.
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
