import { normalQuantile } from "./normal-distribution.ts";

/**
 * The number of pairs that a single-look test needs to show, with the given power, that a difference of 0 is not worse
 * than `margin`, if the share `discordant` of the pairs is not tied. null: no number of pairs would suffice.
 */
export function pairedSampleSize(
  discordant: number,
  margin: number,
  { alpha = 0.05, power = 0.8 } = {},
): number | null {
  if (!(margin > 0)) return null;
  const quantiles = normalQuantile(1 - alpha) + normalQuantile(power);
  return Math.ceil((quantiles ** 2 * discordant) / margin ** 2);
}
