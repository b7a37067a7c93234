const MICROCENTS_PER_DOLLAR = 10_000_000;

const numbers = new Intl.NumberFormat("en-US");
export const whole = number => numbers.format(number);
export const percent = share => `${(share * 100).toFixed(1)} %`;
export const time = text =>
  new Date(text).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });

/**
 * A formatter for amounts that are shown together: all with two decimals, or all with six if one of them is below a
 * dollar, because a call costs a fraction of a cent.
 */
export function dollarsLike(allMicrocents) {
  const isSmall = allMicrocents.some(amount => amount !== 0 && Math.abs(amount) < MICROCENTS_PER_DOLLAR);
  const digits = isSmall ? 6 : 2;
  const format = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return microcents => `$${(microcents / MICROCENTS_PER_DOLLAR).toLocaleString("en-US", format)}`;
}

/** A sum, and how many calls it excludes because their cost is unknown. If it excludes all, no sum is shown. */
export function withUnpriced(shown, microcents, unpricedCalls) {
  if (unpricedCalls === 0) return shown(microcents);
  const unpriced = `${whole(unpricedCalls)} unpriced`;
  return microcents === 0 ? unpriced : `${shown(microcents)} + ${unpriced}`;
}

export const dollars = microcents => dollarsLike([microcents])(microcents);
