import { LedgerDiverged } from "../ledger/ledger-position.ts";
import type { LedgerContinuity } from "./ledger-continuity.ts";

/**
 * Runs one step of a ledger reader. If the ledger no longer has an event that was read from it, derived data is
 * repaired, the reader drops its caches, and the step is retried. The same happens when another reader noticed first.
 */
export class Following {
  #generation: number;

  constructor(
    /** null: a divergence is thrown to the caller. */
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
