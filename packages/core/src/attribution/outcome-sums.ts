/** What an outcome counts as. */
export interface OutcomeValue {
  readonly outcomeType: string | null;
  /** null: nobody said how it went. */
  readonly success: boolean | null;
  /** null: it has a worth that nobody has put in money. Negative: a refund or a chargeback. */
  readonly valueCents: number | null;
}

export interface OutcomeSums {
  /** All of them, failed ones too. */
  readonly outcomes: number;
  /** Reported with `success: false`: counted, and worth nothing. */
  readonly failed: number;
  /** Those that revenue is the sum of. */
  readonly revenueOutcomes: number;
  /** Of all that did not fail, whatever their type. */
  readonly valueCents: number;
  /** The part of the value that is revenue. */
  readonly revenueCents: number;
}

export const REVENUE_TYPE = "revenue";

/** Money came in, or went back: the type says so, and nobody said that it failed. No type is not revenue. */
function isRevenue({ outcomeType, success }: OutcomeValue): boolean {
  return outcomeType === REVENUE_TYPE && success !== false;
}

/** The one rule for what outcomes are worth; `count` of each for rows that stand for several. */
export function sumOutcomes(outcomes: readonly (OutcomeValue & { readonly count?: number })[]): OutcomeSums {
  const sums = { outcomes: 0, failed: 0, revenueOutcomes: 0, valueCents: 0, revenueCents: 0 };
  for (const outcome of outcomes) {
    const count = outcome.count ?? 1;
    sums.outcomes += count;
    if (outcome.success === false) {
      sums.failed += count;
      continue;
    }
    const value = outcome.valueCents ?? 0;
    sums.valueCents += value;
    if (!isRevenue(outcome)) continue;
    sums.revenueOutcomes += count;
    sums.revenueCents += value;
  }
  return sums;
}
