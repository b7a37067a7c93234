import type { Database } from "bun:sqlite";

/**
 * Everything that arrives in one turn of the event loop becomes one transaction, so 32 concurrent calls share the cost
 * of one commit. A promise settles only when its write is on disk.
 */
export class GroupCommit {
  #queue: Write[] = [];
  #scheduled = false;
  readonly #begin;
  readonly #commit;
  readonly #rollback;

  /** `inCommit` runs after a group's writes, in their transaction; `onBegin` resets what it accumulates. */
  constructor(
    database: Database,
    private readonly onBegin: () => void = () => {},
    private readonly inCommit: () => void = () => {},
  ) {
    this.#begin = database.query("BEGIN IMMEDIATE");
    this.#commit = database.query("COMMIT");
    this.#rollback = database.query("ROLLBACK");
  }

  /** Resolves once the write is on disk. */
  write(apply: () => void): Promise<void> {
    return new Promise((done, failed) => this.enqueue({ apply, done, failed }));
  }

  enqueue(write: Write): void {
    this.#queue.push(write);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.flush());
  }

  /** Commits pending writes now. */
  flush(): void {
    this.#scheduled = false;
    const group = this.#queue;
    if (group.length === 0) return;
    this.#queue = [];
    try {
      this.#transact(group);
    } catch (fault) {
      const [only] = group;
      if (group.length === 1 && only) only.failed(fault);
      else for (const write of group) this.#writeAlone(write);
      return;
    }
    for (const write of group) this.#notify(write);
  }

  /** Writes one by one, so that one bad write does not fail the rest of its group. */
  #writeAlone(write: Write): void {
    try {
      this.#transact([write]);
    } catch (fault) {
      write.failed(fault);
      return;
    }
    this.#notify(write);
  }

  /** A failing listener must not affect other writes; its own write is on disk either way. */
  #notify(write: Write): void {
    try {
      write.done();
    } catch (fault) {
      write.failed(fault);
    }
  }

  #transact(group: readonly Write[]): void {
    try {
      this.#begin.run();
      this.onBegin();
      for (const write of group) write.apply();
      this.inCommit();
      this.#commit.run();
    } catch (fault) {
      // A full disk may already have rolled the transaction back; then a failed rollback is expected. A transaction
      // that is still open must end here, or no later write could begin.
      try {
        this.#rollback.run();
      } catch {}
      throw fault;
    }
  }
}

export interface Write {
  /** Runs statements. It may run twice if another write of its group fails, so it must only write. */
  readonly apply: () => void;
  /** Called when the write is on disk. */
  readonly done: () => void;
  readonly failed: (fault: unknown) => void;
}
