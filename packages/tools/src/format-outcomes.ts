import { dollarsOfCents } from "./format-amounts.ts";

/** Other value, which must not be mistaken for revenue: ", other value $70.00, 1 failed". */
export function besideRevenue(otherValueCents: number, failedCount: number): string {
  const other = otherValueCents === 0 ? "" : `, other value ${dollarsOfCents(otherValueCents)}`;
  return other + failed(failedCount);
}

export function failed(failedCount: number): string {
  return failedCount === 0 ? "" : `, ${failedCount} failed`;
}
