import { z } from "zod";

/** The days back from now; clamped in silence to the tier's history, and the effective period is in the answer. */
export const roiDays = (least: number, most: number) =>
  z
    .int()
    .min(least)
    .max(most)
    .default(30)
    .meta({ description: `${least} to ${most} days back from now; clamped to the tier's history` });
