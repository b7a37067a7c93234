import { lineResiduals } from "../statistics/line-residuals.ts";
import { varianceInflation } from "../statistics/variance-inflation.ts";
import { DAY_MS, HOUR_MS } from "./usage-series.ts";

interface Hour {
  readonly at: number;
  readonly value: number;
}

/** Fewer earlier hours do not show the usual correlation of neighbours; then the window's own hours must. */
const FEWEST_EARLIER = 48;
const FEWEST_DAYS = 3;

/**
 * A slow hour is followed by a slow hour, and a few such in a row look like a rise. How alike neighbouring hours
 * usually are is seen in the days before, after the daily cycle and a steady drift are taken out of them: those are
 * not chance.
 */
export function hourlyInflation(window: readonly Hour[], earlier: readonly Hour[]): number {
  const known = earlier.length >= FEWEST_EARLIER ? withoutCycle(earlier) : window;
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
    return { at, value: value - (same.length >= FEWEST_DAYS ? meanOf(same) : overall) };
  });
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
