import { BettingConfidenceSequence } from "../statistics/betting-confidence-sequence.ts";
import { SessionMeans } from "./session-means.ts";

export type Decision = "holds" | "degrades";

export interface ScorePlan {
  readonly alpha: number;
  readonly margin: number;
  readonly minPairs: number;
  readonly plannedPairs: number;
  readonly sessionWindowMs: number;
}

/** The scores of one kind of pairs, evaluated after every value. The first decision is final. */
export class ScoreSequence {
  readonly #sequence: BettingConfidenceSequence;
  readonly #sessions: SessionMeans;
  #pairs = 0;
  #decision: Decision | null = null;
  readonly counts = { wins: 0, ties: 0, losses: 0 };

  constructor(private readonly plan: ScorePlan) {
    this.#sequence = new BettingConfidenceSequence({ alpha: plan.alpha, plannedValues: plan.plannedPairs });
    this.#sessions = new SessionMeans(plan.sessionWindowMs);
  }

  add(pair: {
    readonly score: number;
    readonly sessionId: string | null;
    readonly recordedAtMs: number;
  }): void {
    if (this.#sessions.add(pair, this.#enter)) this.#pairs += 1;
    this.#decide();
  }

  get nextCloseMs(): number {
    return this.#sessions.nextCloseMs;
  }

  closeUntil(nowMs: number): void {
    this.#sessions.closeUntil(nowMs, this.#enter);
  }

  closeAll(): void {
    this.#sessions.closeAll(this.#enter);
  }

  /** Pairs that count: without those that came after their session's window. */
  get pairs(): number {
    return this.#pairs;
  }

  /** Sessions, and pairs without a session. */
  get values(): number {
    return this.#sequence.values;
  }

  /** The mean of the values, or the nearest one not excluded: if the mean changes, a bound may have passed it. */
  get mean(): number | null {
    const { mean, lower, upper } = this.#sequence;
    return mean === null ? null : Math.min(upper, Math.max(lower, mean));
  }

  get lower(): number {
    return this.#sequence.lower;
  }

  get upper(): number {
    return this.#sequence.upper;
  }

  get decision(): Decision | null {
    return this.#decision;
  }

  isAbove(limit: number): boolean {
    return this.#sequence.isAbove(limit);
  }

  isBelow(limit: number): boolean {
    return this.#sequence.isBelow(limit);
  }

  readonly #enter = (value: number): void => {
    this.#sequence.add(value);
    this.counts[value > 0 ? "wins" : value < 0 ? "losses" : "ties"] += 1;
    this.#decide();
  };

  #decide(): void {
    if (this.#decision !== null || this.#pairs < this.plan.minPairs) return;
    if (this.#sequence.isAbove(-this.plan.margin)) this.#decision = "holds";
    else if (this.#sequence.isBelow(-this.plan.margin)) this.#decision = "degrades";
  }
}
