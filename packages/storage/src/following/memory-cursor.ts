import { isSamePosition, LEDGER_START, type LedgerPosition } from "../ledger/ledger-position.ts";
import type { Cursor, Step } from "./cursor.ts";

/**
 * A position that is not stored. If batches are consumed synchronously, nothing else runs between the check of the
 * position, the read and the move.
 */
export class MemoryCursor implements Cursor<null> {
  readonly delaysWriters = false;
  #at: LedgerPosition = LEDGER_START;
  #isKnown = false;

  constructor(
    /** Where to start, and to restart after `forget`. */
    private readonly begin: () => Promise<LedgerPosition>,
  ) {}

  get at(): LedgerPosition {
    return this.#at;
  }

  async position(): Promise<LedgerPosition> {
    if (!this.#isKnown) {
      const start = await this.begin();
      if (!this.#isKnown) this.moveTo(start);
    }
    return this.#at;
  }

  async advance<Done extends Step>(
    from: LedgerPosition,
    apply: (transaction: null) => Done | Promise<Done>,
  ): Promise<Done | null> {
    if (!isSamePosition(this.#at, from)) return null;
    const applied = apply(null);
    const done = applied instanceof Promise ? await applied : applied;
    this.#at = done.to;
    return done;
  }

  skip(from: LedgerPosition, to: LedgerPosition): void {
    if (isSamePosition(this.#at, from)) this.#at = to;
  }

  moveTo(position: LedgerPosition): void {
    this.#at = position;
    this.#isKnown = true;
  }

  async refresh(): Promise<boolean> {
    return false;
  }

  forget(): void {
    this.#isKnown = false;
  }
}
