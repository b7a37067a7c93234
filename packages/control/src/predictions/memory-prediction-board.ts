import type { InsufficientData } from "@tollgate/core/predictions/prediction";
import { scopeName } from "@tollgate/storage/ledger/scope-name";
import type { Scope } from "@tollgate/storage/read-model/queries";
import type { PredictionBoard, PredictionLook } from "../kernel/context.ts";

/** Bounds the list for an organization with thousands of new agents. */
const MOST_INSUFFICIENT = 100;

/** When predictions were last computed, and what could not be. In memory, because startup recomputes everything. */
export class MemoryPredictionBoard implements PredictionBoard {
  #looks = new Map<string, PredictionLook>();
  #roundAt: number | null = null;

  note(scope: Scope, computedAt: number, insufficient: readonly InsufficientData[]): void {
    this.#looks.set(scopeName(scope), { computedAt, insufficient: insufficient.slice(0, MOST_INSUFFICIENT) });
  }

  finishRound(at: number, looked: readonly Scope[]): void {
    const names = new Set(looked.map(scopeName));
    this.#looks = new Map([...this.#looks].filter(([name]) => names.has(name)));
    this.#roundAt = at;
  }

  of(scope: Scope): PredictionLook | null {
    return this.#looks.get(scopeName(scope)) ?? null;
  }

  get roundAt(): number | null {
    return this.#roundAt;
  }
}
