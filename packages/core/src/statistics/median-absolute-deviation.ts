import { median } from "./median.ts";

/** The median distance from the median: a spread that a few outliers do not move. Not scaled to a deviation. */
export function medianAbsoluteDeviation(sample: readonly number[]): number | null {
  const middle = median(sample);
  return middle === null ? null : median(sample.map(value => Math.abs(value - middle)));
}
