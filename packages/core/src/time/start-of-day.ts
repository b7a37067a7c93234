import { DAY_MS, HOUR_MS } from "./durations.ts";

/** The first millisecond of the UTC day that contains the time. */
export function startOfDay(atMs: number): number {
  return startOf(atMs, DAY_MS);
}

export function startOfHour(atMs: number): number {
  return startOf(atMs, HOUR_MS);
}

/** The same for hours or days. */
export function startOf(atMs: number, unitMs: number): number {
  return Math.floor(atMs / unitMs) * unitMs;
}
