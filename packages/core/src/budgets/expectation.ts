import { type Microcents, ZERO_MICROCENTS } from "../money/money.ts";

/** The expected cost of a call, estimated before it is made. */
export interface Expectation {
  readonly meanMicrocents: Microcents;
  /** Standard deviation, in microcents. 0: the mean is an upper bound. */
  readonly spreadMicrocents: number;
}

export function sure(amountMicrocents: Microcents): Expectation {
  return { meanMicrocents: amountMicrocents, spreadMicrocents: 0 };
}

export const NOTHING_EXPECTED: Expectation = sure(ZERO_MICROCENTS);

/** The number of standard deviations above the mean that 95 % stay below. */
export const Z_95 = 1.645;
