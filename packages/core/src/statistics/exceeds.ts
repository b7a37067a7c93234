/** Far above the rounding errors of shares and their differences, and far below any difference that matters. */
const ROUNDING = 1e-9;

/** Whether a share, or a difference of two, is above its limit: 0.07 − 0.06 is not above 0.01, except for rounding. */
export function exceeds(value: number, limit: number): boolean {
  return value > limit + ROUNDING;
}
