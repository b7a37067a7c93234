import { type Decision, ScoreSequence } from "./score-sequence.ts";
import type { TrialPlan } from "./trial-plan.ts";
import type { TrialRow } from "./trial-row.ts";
import type { VoidReason } from "./trial-status.ts";

/** How a trial ended; null: it continues. */
export type TrialEnd =
  | { readonly kind: "decided"; readonly decision: Decision }
  /** All pairs of the plan, its time or its spend are used up without a result. */
  | { readonly kind: "undecided" }
  | { readonly kind: "voided"; readonly reason: VoidReason };

/**
 * A trial, row by row. Whether the rows arrive one at a time or all again after a restart, it ends at the same row in
 * the same way: its state depends only on the plan and the rows. Rows after its end are not evidence.
 */
export class TrialSequence {
  readonly compared: ScoreSequence;
  readonly controls: ScoreSequence;
  readonly #rows: TrialRow[] = [];
  readonly #served = { production: new Set<string>(), candidate: new Set<string>() };
  #end: TrialEnd | null = null;

  constructor(private readonly plan: TrialPlan) {
    this.compared = new ScoreSequence(scorePlan(plan));
    this.controls = new ScoreSequence({
      ...scorePlan(plan),
      plannedPairs: Math.ceil(plan.max_pairs / (plan.control_every - 1)),
      // Controls are reported and can void a trial; they decide nothing.
      minPairs: Infinity,
    });
  }

  get end(): TrialEnd | null {
    return this.#end;
  }

  /** The evidence. */
  get rows(): readonly TrialRow[] {
    return this.#rows;
  }

  add(row: TrialRow): void {
    this.look(row.recordedAtMs);
    if (this.#end !== null) return;
    this.#rows.push(row);
    if (row.kind === "production_failed") return;
    if (this.#isOtherModel(row)) {
      this.#end = { kind: "voided", reason: "served_model_changed" };
      return;
    }
    (row.kind === "control" ? this.controls : this.compared).add(row);
    if (this.compared.pairs >= this.plan.max_pairs) this.finish();
    else this.#check();
  }

  /**
   * Counts sessions whose window is over by now, even if no pair has come since. One at a time: closed all together,
   * they would end a trial later, or differently, than with evaluations in between.
   */
  look(nowMs: number): void {
    while (this.#end === null) {
      const nextMs = Math.min(this.controls.nextCloseMs, this.compared.nextCloseMs);
      if (nextMs > nowMs) return;
      this.controls.closeUntil(nextMs);
      this.compared.closeUntil(nextMs);
      this.#check();
    }
  }

  /** No more pairs will come. */
  finish(): void {
    if (this.#end !== null) return;
    this.controls.closeAll();
    this.compared.closeAll();
    this.#check();
    this.#end ??=
      this.compared.pairs < this.plan.min_pairs
        ? { kind: "voided", reason: "expired" }
        : { kind: "undecided" };
  }

  void(reason: VoidReason): void {
    this.#end ??= { kind: "voided", reason };
  }

  #check(): void {
    const { control_limit } = this.plan;
    const { decision } = this.compared;
    // First, because a verdict by a judge known to be biased must not be given.
    if (this.controls.isAbove(control_limit) || this.controls.isBelow(-control_limit)) {
      this.#end = { kind: "voided", reason: "judge_noise" };
    } else if (decision !== null) this.#end = { kind: "decided", decision };
  }

  #isOtherModel(row: Exclude<TrialRow, { kind: "production_failed" }>): boolean {
    const { production, candidate } = this.#served;
    if (row.production.servedModel !== null) production.add(row.production.servedModel);
    if (row.kind === "compared" && row.candidate.servedModel !== null)
      candidate.add(row.candidate.servedModel);
    return production.size > 1 || candidate.size > 1;
  }
}

export function scorePlan(plan: TrialPlan) {
  return {
    alpha: plan.alpha,
    margin: plan.margin,
    minPairs: plan.min_pairs,
    plannedPairs: plan.max_pairs,
    sessionWindowMs: plan.session_window_ms,
  };
}
