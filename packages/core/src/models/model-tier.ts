/** Most expensive first. */
export const modelTiers = ["frontier", "balanced", "efficient", "budget"] as const;

export type ModelTier = (typeof modelTiers)[number];

/** How many steps `to` is below `from`; negative: above. */
export function stepsDown(from: ModelTier, to: ModelTier): number {
  return modelTiers.indexOf(to) - modelTiers.indexOf(from);
}
