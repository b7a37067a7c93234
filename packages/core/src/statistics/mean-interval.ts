import { tQuantile } from "./t-distribution.ts";

/** The 95 % interval of a mean, by Student's t. null: a single value has no spread. */
export function meanInterval(
  mean: number,
  standardError: number,
  degreesOfFreedom: number,
): { low: number; high: number } | null {
  if (!(degreesOfFreedom >= 1)) return null;
  const half = tQuantile(0.975, degreesOfFreedom) * standardError;
  return { low: mean - half, high: mean + half };
}
