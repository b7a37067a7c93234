import type { Bill, PricedCut } from "./price-cut.ts";
import { type Spread, spreadOf } from "./spread.ts";

/** What the gateway knows about the model's pace. "any": irrelevant, because nothing is estimated from time. */
export type KnownPace = "learned" | "cold" | "any";

export interface CutsSummary {
  readonly cuts: number;
  /** Estimated ÷ true output tokens, for cuts after the model had generated something. */
  readonly output: Spread | null;
  /** Estimated ÷ true cost. */
  readonly cost: Spread | null;
  /** Total of all estimates ÷ total of all true costs: the error of a bill. */
  readonly costOfAll: number;
  /** Share of the cuts that are billed at less than half of their true cost. */
  readonly belowHalf: number;
  readonly belowHalfBefore: number;
}

export function summarizeCuts(cuts: readonly PricedCut[], pace: KnownPace): CutsSummary {
  const estimateOf = (cut: PricedCut): Bill => (pace === "cold" ? cut.cold : cut.learned);
  const begun = cuts.filter(cut => cut.truth.outputTokens > 0);
  const shareBelowHalf = (billOf: (cut: PricedCut) => Bill) =>
    cuts.filter(cut => billOf(cut).costMicrocents < cut.truth.costMicrocents / 2).length / cuts.length;
  const sum = (billOf: (cut: PricedCut) => Bill) =>
    cuts.reduce((total, cut) => total + billOf(cut).costMicrocents, 0);
  return {
    cuts: cuts.length,
    output: spreadOf(begun.map(cut => estimateOf(cut).outputTokens / cut.truth.outputTokens)),
    cost: spreadOf(cuts.map(cut => estimateOf(cut).costMicrocents / cut.truth.costMicrocents)),
    costOfAll: sum(estimateOf) / sum(cut => cut.truth),
    belowHalf: shareBelowHalf(estimateOf),
    belowHalfBefore: shareBelowHalf(cut => cut.before),
  };
}
