import type { InsufficientData } from "@tollgate/core/predictions/prediction";
import { type Scope, scopeName } from "@tollgate/storage/ledger/scope";
import type { PredictionBoard, PredictionRun } from "../../kernel/context.ts";

/** Bounds the list for an organization with thousands of new agents. */
const MAX_INSUFFICIENT = 100;

/** When predictions were last computed, and what could not be. In memory, because startup recomputes everything. */
export class MemoryPredictionBoard implements PredictionBoard {
  #runs = new Map<string, PredictionRun>();
  #lastRunAtMs: number | null = null;

  note(scope: Scope, computedAtMs: number, insufficient: readonly InsufficientData[]): void {
    this.#runs.set(scopeName(scope), { computedAtMs, insufficient: insufficient.slice(0, MAX_INSUFFICIENT) });
  }

  finishRun(atMs: number, examined: readonly Scope[]): void {
    const names = new Set(examined.map(scopeName));
    this.#runs = new Map([...this.#runs].filter(([name]) => names.has(name)));
    this.#lastRunAtMs = atMs;
  }

  of(scope: Scope): PredictionRun | null {
    return this.#runs.get(scopeName(scope)) ?? null;
  }

  get lastRunAtMs(): number | null {
    return this.#lastRunAtMs;
  }
}
