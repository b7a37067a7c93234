import { binomialUpperTail } from "./binomial-tail.ts";

/**
 * Is the rate now above the rate before? `x0` events in the time `t0`, then `x1` in `t1`: with equal Poisson rates, the
 * number of later events is binomial, so P(Bin(x0+x1, t1/(t0+t1)) ≥ x1) is exact, even for x0 = 0. 1 if a time is not
 * positive.
 */
export function rateRatioPValue(x0: number, t0: number, x1: number, t1: number): number {
  if (!(t0 > 0) || !(t1 > 0)) {
    return 1;
  }
  const time = t0 + t1;
  return binomialUpperTail(x1, x0 + x1, t1 / time, t0 / time);
}
