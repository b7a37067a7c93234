import { compactCount, count } from "../format/counts.ts";
import { compactDollars, dollars } from "../format/money.ts";
import { duration } from "../format/time.ts";

/** Unit of a chart's values. */
export interface ChartUnit {
  /** In the tooltip and the table. */
  readonly format: (value: number) => string;
  /** Beside the axis, where about ten characters fit. */
  readonly onAxis: (value: number, top: number) => string;
  /** Round distances of the lines, ascending; if the largest is too small, 1, 2 or 5 with zeros times that. */
  readonly steps: readonly number[];
}

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000];
const COMPACT_DOLLARS_MICROCENTS = 1e12;
const COMPACT_COUNT = 1e6;
const MAX_STEPS = 5;

/** Microcents. */
export const moneyUnit: ChartUnit = {
  format: dollars,
  onAxis: (value, top) => (top < COMPACT_DOLLARS_MICROCENTS ? dollars(value) : compactDollars(value)),
  steps: [1],
};

export const countUnit: ChartUnit = {
  format: count,
  onAxis: (value, top) => (top < COMPACT_COUNT ? count(value) : compactCount(value)),
  steps: [1],
};

/** Milliseconds. */
export const durationUnit: ChartUnit = {
  format: ms => (ms === 0 ? "0" : duration(ms)),
  onAxis: ms => (ms === 0 ? "0" : duration(ms)),
  steps: [
    ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
    ...[1, 2, 5, 10, 15, 30].map(seconds => seconds * SECOND),
    ...[1, 2, 5, 10, 15, 30].map(minutes => minutes * MINUTE),
    HOUR,
  ],
};

/** An amount with the number of calls that it leaves out; if it leaves out all, there is no amount: unknown is not 0. */
export function withUnpriced({ format }: ChartUnit, amount: number, unpricedCalls: number): string {
  if (unpricedCalls === 0) return format(amount);
  return `${amount === 0 ? "" : `${format(amount)} + `}${count(unpricedCalls)} unpriced`;
}

/** Values of the lines across a chart: 0, then at most five, up to the largest value or just above it. */
export function axisTicks(top: number, { steps }: ChartUnit): number[] {
  const isEnough = (step: number) => top <= step * MAX_STEPS;
  const step = steps.find(isEnough) ?? decimalStep(steps.at(-1) ?? 1, isEnough);
  return Array.from({ length: Math.ceil(top / step) + 1 }, (_, index) => index * step);
}

function decimalStep(unit: number, isEnough: (step: number) => boolean): number {
  const found = [unit, 2 * unit, 5 * unit].find(isEnough);
  return found ?? decimalStep(unit * 10, isEnough);
}
