import { z } from "zod";

/** Of which revenue: outcomes of type `revenue` that did not fail. */
export const revenueCents = z
  .int()
  .meta({ description: "Of outcomes of type `revenue` that were not reported with `success: false`" });

export const valueCents = z
  .int()
  .meta({ description: "Of outcomes of every type, revenue included, that did not fail" });

export const otherValueCents = z.int().meta({
  description: "Of outcomes of other types or none, that did not fail: savings, quality; no revenue",
});

export const failedCount = z
  .int()
  .meta({ description: "Of which reported with `success: false`: they are worth nothing in any sum" });

export const netValue = z.number().meta({ description: "Revenue less cost, in cents" });

export const roiMultiple = z
  .number()
  .nullable()
  .meta({ description: "Revenue ÷ cost; null where nothing was spent" });
