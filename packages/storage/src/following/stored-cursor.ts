import type { ControlDatabase } from "../database/open-control-database.ts";
import type { ControlTransaction } from "../database/schema.ts";
import { withoutSync } from "../database/without-sync.ts";
import { isSamePosition, type LedgerPosition } from "../ledger/ledger-position.ts";
import type { Cursor, Step } from "./cursor.ts";
import { beginPosition, lockPosition, movePosition, readPosition } from "./stored-position.ts";

/** How far the stored position may lag behind while events change nothing. */
const UNSTORED_EVENTS = 10_000;

/**
 * A position in the control database. Data derived from a batch and the position after it are committed together, so a
 * crash repeats nothing and skips nothing. The position in memory may be ahead of the stored one by events that change
 * nothing. If another process moves the stored one, forward or back, the stored one wins.
 */
export class StoredCursor implements Cursor<ControlTransaction> {
  #stored: LedgerPosition | null = null;
  #at: LedgerPosition | null = null;

  constructor(
    private readonly database: ControlDatabase,
    private readonly reader: string,
    /** The start position of a new reader. */
    private readonly begin: () => Promise<LedgerPosition>,
  ) {}

  get delaysWriters(): boolean {
    return this.database.engine === "sqlite";
  }

  async position(): Promise<LedgerPosition> {
    if (this.#at !== null) return this.#at;
    const { db } = this.database;
    let stored = await readPosition(db, this.reader);
    if (stored === null) {
      // The row must exist before it can be locked. Another process may have created it in between.
      await beginPosition(db, this.reader, await this.begin());
      stored = await readPosition(db, this.reader);
    }
    if (stored === null) throw new Error(`the cursor ${this.reader} was deleted`);
    this.#stored = stored;
    this.#at = stored;
    return stored;
  }

  async advance<Done extends Step>(
    from: LedgerPosition,
    apply: (transaction: ControlTransaction) => Done | Promise<Done>,
  ): Promise<Done | null> {
    if (this.#at === null || !isSamePosition(this.#at, from)) return null;
    const done = await this.hold(async (transaction, stored) => {
      const step = await apply(transaction);
      if (step.isEmpty && step.to.seq - stored.seq < UNSTORED_EVENTS) return { step, stored };
      await movePosition(transaction, this.reader, step.to);
      return { step, stored: step.to };
    });
    if (done === null) return null;
    this.#stored = done.stored;
    this.#at = done.step.to;
    return done.step;
  }

  /** Runs work in a transaction that holds the cursor's lock. null: another process has moved the cursor. */
  async hold<Result>(
    work: (transaction: ControlTransaction, stored: LedgerPosition) => Promise<Result>,
  ): Promise<Result | null> {
    await this.position();
    try {
      const held = await withoutSync(this.database, db =>
        db.transaction().execute(async transaction => {
          const stored = await lockPosition(transaction, this.database.engine, this.reader);
          const isOurs = stored !== null && this.#stored !== null && isSamePosition(stored, this.#stored);
          return isOurs ? { result: await work(transaction, stored) } : null;
        }),
      );
      if (held !== null) return held.result;
      this.forget();
      return null;
    } catch (fault) {
      // A failed commit may still have been written.
      this.forget();
      throw fault;
    }
  }

  skip(from: LedgerPosition, to: LedgerPosition): void {
    if (this.#at !== null && isSamePosition(this.#at, from)) this.#at = to;
  }

  async store(): Promise<void> {
    const at = await this.position();
    if (this.#stored !== null && isSamePosition(this.#stored, at)) return;
    const isStored = await this.hold(async transaction => {
      await movePosition(transaction, this.reader, at);
      return true;
    });
    if (isStored !== null) this.#stored = at;
  }

  async refresh(): Promise<boolean> {
    const before = this.#stored;
    this.forget();
    const stored = await this.position();
    return before !== null && !isSamePosition(before, stored);
  }

  forget(): void {
    this.#stored = null;
    this.#at = null;
  }
}
