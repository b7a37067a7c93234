import { existsSync } from "node:fs";
import { open } from "node:fs/promises";
import { backup, DatabaseSync } from "node:sqlite";

/** Pages copied between two progress reports. */
const PAGES_PER_STEP = 4096;
/** Header bytes of the journal mode: 2 is write-ahead logging, 1 is a rollback journal. */
const JOURNAL_VERSIONS_AT = 18;

/**
 * A database as it was at one moment, while others keep writing to it. Their writes stay in the write-ahead log until
 * the snapshot is closed, so close it soon.
 */
export class DatabaseSnapshot {
  readonly #database: DatabaseSync;

  constructor(path: string) {
    if (!existsSync(path)) throw new Error(`${path} does not exist`);
    this.#database = new DatabaseSync(path, { readOnly: true });
    this.#database.exec("PRAGMA busy_timeout = 5000; BEGIN");
    // The snapshot is taken at the first read, not at BEGIN.
    this.number("SELECT count(*) FROM sqlite_schema");
  }

  /** The one number that a query returns; 0 if it returns no row. */
  number(sql: string): number {
    return Number(this.#first(sql) ?? 0);
  }

  text(sql: string): string | null {
    const value = this.#first(sql);
    return typeof value === "string" ? value : null;
  }

  has(sql: string, parameter: string): boolean {
    return this.#database.prepare(sql).get(parameter) !== undefined;
  }

  get bytes(): number {
    return this.number("PRAGMA page_count") * this.number("PRAGMA page_size");
  }

  /**
   * Copies the whole database, page by page, to a new file. The copy needs no log beside it, so it can be read from a
   * read-only directory.
   */
  async copyTo(
    path: string,
    onProgress: (bytes: number) => void = () => {},
    pagesAtOnce = PAGES_PER_STEP,
  ): Promise<void> {
    const pageSize = this.number("PRAGMA page_size");
    await backup(this.#database, path, {
      rate: pagesAtOnce,
      progress: ({ totalPages, remainingPages }) => onProgress((totalPages - remainingPages) * pageSize),
    });
    const file = await open(path, "r+");
    try {
      await file.write(Uint8Array.of(1, 1), 0, 2, JOURNAL_VERSIONS_AT);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  /** May be called twice. */
  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  #first(sql: string): unknown {
    const row = this.#database.prepare(sql).get();
    return row === undefined ? undefined : Object.values(row)[0];
  }
}
