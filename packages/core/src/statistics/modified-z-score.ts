import { median } from "./median.ts";
import { medianAbsoluteDeviation } from "./median-absolute-deviation.ts";

const MIN_VALUES = 7;

/** Scales a normal sample's median absolute deviation to its standard deviation: Φ⁻¹(3/4), rounded as published. */
const MAD_SCALE = 0.6745;

/** √(π/2), rounded as published: the same for the mean absolute deviation. */
const MEAN_DEVIATION_SCALE = 1.2533;

/**
 * Distance of `x` from the sample's median, in robust deviations; 3.5 or more is an outlier. null: fewer than 7 values,
 * or no spread at all.
 */
export function modifiedZScore(x: number, sample: readonly number[]): number | null {
  const middle = median(sample);
  const mad = medianAbsoluteDeviation(sample);
  if (middle === null || mad === null || sample.length < MIN_VALUES) {
    return null;
  }
  if (mad > 0) {
    return (MAD_SCALE * (x - middle)) / mad;
  }
  // More than half of the values are equal: the mean deviation still reflects the others.
  const meanDeviation = sample.reduce((sum, value) => sum + Math.abs(value - middle), 0) / sample.length;
  return meanDeviation > 0 ? (x - middle) / (MEAN_DEVIATION_SCALE * meanDeviation) : null;
}
