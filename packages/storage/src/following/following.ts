import { LedgerDiverged } from "../ledger/ledger-place.ts";
import type { LedgerContinuity } from "./ledger-continuity.ts";

/**
 * Lets a reader read. If the ledger turns out not to have what it read before, everything derived is repaired and the
 * reader goes on from there, without what it remembered; likewise if another reader was the first to notice.
 */
export class Following {
  #generation: number;

  constructor(
    /** null: whoever called the reader is told, and decides. */
    private readonly continuity: LedgerContinuity | null,
    private readonly forget: () => void,
  ) {
    this.#generation = continuity?.generation ?? 0;
  }

  async attempt<Result>(work: () => Promise<Result>): Promise<Result> {
    for (;;) {
      if (this.continuity !== null && this.continuity.generation !== this.#generation) {
        this.#generation = this.continuity.generation;
        this.forget();
      }
      try {
        return await work();
      } catch (fault) {
        if (this.continuity === null || !(fault instanceof LedgerDiverged)) throw fault;
        await this.continuity.reconcile();
        this.forget();
      }
    }
  }
}
