import { type Microcents, ZERO_MICROCENTS } from "../money/money.ts";

/** What a call will cost, estimated before it is made. */
export interface Expectation {
  readonly meanMicrocents: Microcents;
  /** A standard deviation, in microcents: how far off the mean it may well be. 0: a bound, never more. */
  readonly spreadMicrocents: number;
}

export function sure(amountMicrocents: Microcents): Expectation {
  return { meanMicrocents: amountMicrocents, spreadMicrocents: 0 };
}

export const NOTHING_EXPECTED: Expectation = sure(ZERO_MICROCENTS);

/** How many standard deviations above the mean 95 of 100 stay below. */
export const NEARLY_ALWAYS = 1.645;
