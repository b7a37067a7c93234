/** The fields that determine an outcome's value. */
export interface OutcomeValue {
  readonly outcomeType: string | null;
  /** null: unknown. */
  readonly success: boolean | null;
  /** null: no monetary value was given. Negative: a refund or a chargeback. */
  readonly valueCents: number | null;
}

export interface OutcomeSums {
  /** All outcomes, including failed ones. */
  readonly outcomes: number;
  /** Reported with `success: false`: counted, but worth nothing. */
  readonly failed: number;
  /** The outcomes included in revenue. */
  readonly revenueOutcomes: number;
  /** Total value of outcomes of any type that did not fail. */
  readonly valueCents: number;
  /** The part of the value that is revenue. */
  readonly revenueCents: number;
}

export const REVENUE_TYPE = "revenue";

/** Money received or refunded: the type is revenue and it did not fail. No type means no revenue. */
function isRevenue({ outcomeType, success }: OutcomeValue): boolean {
  return outcomeType === REVENUE_TYPE && success !== false;
}

/** The only rule for the value of outcomes; `count` is a grouped row's multiplicity. */
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
