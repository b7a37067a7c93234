import { median } from "./median.ts";

/** The median distance from the median: robust against a few outliers. Not scaled to a standard deviation. */
export function medianAbsoluteDeviation(sample: readonly number[]): number | null {
  const middle = median(sample);
  return middle === null ? null : median(sample.map(value => Math.abs(value - middle)));
}
