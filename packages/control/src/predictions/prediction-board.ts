import type { InsufficientData } from "@tollgate/core/predictions/prediction";
import { scopeName } from "@tollgate/storage/ledger/scope-name";
import type { Scope } from "@tollgate/storage/read-model/queries";

export interface Look {
  readonly computedAt: number;
  /** The first of them: an organization with a thousand new agents need not read of each. */
  readonly insufficient: readonly InsufficientData[];
}

const MOST_INSUFFICIENT = 100;

/** When predictions were last computed, and what could not be. In memory: a start computes all of it anew. */
export class PredictionBoard {
  #looks = new Map<string, Look>();
  #roundAt: number | null = null;

  note(scope: Scope, computedAt: number, insufficient: readonly InsufficientData[]): void {
    this.#looks.set(scopeName(scope), { computedAt, insufficient: insufficient.slice(0, MOST_INSUFFICIENT) });
  }

  /** Everybody was looked at; who is not named has not called for so long that nothing is kept. */
  finishRound(at: number, looked: readonly Scope[]): void {
    const names = new Set(looked.map(scopeName));
    this.#looks = new Map([...this.#looks].filter(([name]) => names.has(name)));
    this.#roundAt = at;
  }

  /** null: there was no look yet, or nobody called. */
  of(scope: Scope): Look | null {
    return this.#looks.get(scopeName(scope)) ?? null;
  }

  /** When the last look at everybody began; null: there was none. */
  get roundAt(): number | null {
    return this.#roundAt;
  }
}
