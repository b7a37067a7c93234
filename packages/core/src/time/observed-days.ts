import { DAY_MS } from "./durations.ts";

export const MONTH_DAYS = 30;

/**
 * The number of UTC days on which something was observed: from the first within the period to today. Days without a
 * call count, because nothing was spent on them; otherwise one busy day of an old agent would become a month of them.
 */
export function observedDays(
  { from, now }: { readonly from: number; readonly now: number },
  firstAt: number,
): number {
  const since = Math.max(from, firstAt);
  return Math.max(1, Math.floor(now / DAY_MS) - Math.floor(since / DAY_MS) + 1);
}
