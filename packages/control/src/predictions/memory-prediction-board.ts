import type { InsufficientData } from "@tollgate/core/predictions/prediction";
import { scopeName } from "@tollgate/storage/ledger/scope";
import type { Scope } from "@tollgate/storage/read-model/queries";
import type { PredictionBoard, PredictionRun } from "../kernel/context.ts";

/** Bounds the list for an organization with thousands of new agents. */
const MAX_INSUFFICIENT = 100;

/** When predictions were last computed, and what could not be. In memory, because startup recomputes everything. */
export class MemoryPredictionBoard implements PredictionBoard {
  #runs = new Map<string, PredictionRun>();
  #roundAt: number | null = null;

  note(scope: Scope, computedAt: number, insufficient: readonly InsufficientData[]): void {
    this.#runs.set(scopeName(scope), { computedAt, insufficient: insufficient.slice(0, MAX_INSUFFICIENT) });
  }

  finishRound(at: number, examined: readonly Scope[]): void {
    const names = new Set(examined.map(scopeName));
    this.#runs = new Map([...this.#runs].filter(([name]) => names.has(name)));
    this.#roundAt = at;
  }

  of(scope: Scope): PredictionRun | null {
    return this.#runs.get(scopeName(scope)) ?? null;
  }

  get roundAt(): number | null {
    return this.#roundAt;
  }
}
