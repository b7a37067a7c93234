import { lineResiduals } from "../statistics/line-residuals.ts";
import { varianceInflation } from "../statistics/variance-inflation.ts";
import { DAY_MS, HOUR_MS } from "../time/durations.ts";

interface Hour {
  readonly at: number;
  readonly value: number;
}

/** Fewer earlier hours do not show the usual autocorrelation; then the window's own hours are used. */
const MIN_EARLIER = 48;
const MIN_DAYS = 3;

/**
 * A slow hour tends to be followed by another, and a few in a row look like a rise. The usual autocorrelation of hours
 * is measured in the days before, after removing the daily cycle and a steady drift, because those are not random.
 */
export function hourlyInflation(window: readonly Hour[], earlier: readonly Hour[]): number {
  const known = earlier.length >= MIN_EARLIER ? withoutCycle(earlier) : window;
  const places = new Map(known.map(({ at, value }) => [Math.round(at / HOUR_MS), value]));
  return varianceInflation(lineResiduals(places), window.length);
}

function withoutCycle(hours: readonly Hour[]): Hour[] {
  const byClock = new Map<number, number[]>();
  for (const { at, value } of hours) {
    const clock = at % DAY_MS;
    byClock.set(clock, [...(byClock.get(clock) ?? []), value]);
  }
  const overall = meanOf(hours.map(({ value }) => value));
  return hours.map(({ at, value }) => {
    const same = byClock.get(at % DAY_MS) ?? [];
    return { at, value: value - (same.length >= MIN_DAYS ? meanOf(same) : overall) };
  });
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
