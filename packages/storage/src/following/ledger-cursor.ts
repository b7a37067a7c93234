import type { Transaction } from "kysely";
import type { ControlDatabase } from "../database/open-control-database.ts";
import type { ControlSchema } from "../database/schema.ts";
import { withoutSync } from "../database/without-sync.ts";
import { isSamePosition, type LedgerPosition } from "../ledger/ledger-position.ts";
import { beginPosition, lockPosition, movePosition, readPosition } from "./stored-position.ts";

/** How far the place on disk may fall behind while the events that were read change nothing. */
const UNWRITTEN_EVENTS = 10_000;

export interface Batch<Result> {
  /** The last event of it. */
  readonly to: LedgerPosition;
  /** Nothing was derived from it: the place need not be written at once. */
  readonly isEmpty?: boolean;
  readonly result: Result;
}

/**
 * How far one reader has read the ledger. What is derived from a batch and the place after it are one transaction: a
 * crash repeats nothing and skips nothing. The place in memory may be ahead of the one on disk by events that
 * change nothing. If another process moves the one on disk, forward or back, that one counts.
 */
export class LedgerCursor {
  #stored: LedgerPosition | null = null;
  #at: LedgerPosition | null = null;

  constructor(
    private readonly database: ControlDatabase,
    private readonly name: string,
    /** Where a reader begins that has never read anything. */
    private readonly begin: () => Promise<LedgerPosition>,
  ) {}

  async place(): Promise<LedgerPosition> {
    if (this.#at !== null) return this.#at;
    const { db } = this.database;
    // The row must exist before it can be locked.
    if ((await readPosition(db, this.name)) === null) {
      await beginPosition(db, this.name, await this.begin());
    }
    const stored = await readPosition(db, this.name);
    if (stored === null) throw new Error(`the cursor ${this.name} is gone`);
    this.#stored = stored;
    this.#at = stored;
    return stored;
  }

  /** Advances in memory only, past events that change nothing. */
  skipTo(place: LedgerPosition): void {
    this.#at = place;
  }

  /** After this, the place on disk counts. */
  forget(): void {
    this.#stored = null;
    this.#at = null;
  }

  /** One batch, from where this reader is. */
  async advance<Result>(
    work: (transaction: Transaction<ControlSchema>, from: LedgerPosition) => Promise<Batch<Result>>,
  ): Promise<Result> {
    await this.place();
    try {
      const { stored, to, result } = await withoutSync(this.database, db =>
        db.transaction().execute(transaction => this.#step(transaction, work)),
      );
      this.#stored = stored;
      this.#at = to;
      return result;
    } catch (fault) {
      // A failed commit may have been written all the same.
      this.forget();
      throw fault;
    }
  }

  async #step<Result>(
    transaction: Transaction<ControlSchema>,
    work: (transaction: Transaction<ControlSchema>, from: LedgerPosition) => Promise<Batch<Result>>,
  ): Promise<Batch<Result> & { readonly stored: LedgerPosition }> {
    const stored = await lockPosition(transaction, this.database.engine, this.name);
    if (stored === null) throw new Error(`the cursor ${this.name} is gone`);
    const isOurs = this.#stored !== null && isSamePosition(stored, this.#stored);
    const batch = await work(transaction, isOurs ? (this.#at ?? stored) : stored);
    if (batch.isEmpty === true && batch.to.seq - stored.seq < UNWRITTEN_EVENTS) return { ...batch, stored };
    await movePosition(transaction, this.name, batch.to);
    return { ...batch, stored: batch.to };
  }
}
