import { z } from "zod";
import { isoTime, isoTimeInput } from "./iso-time.ts";

/** The window of an analysis: `from` and `to`, or `days`. It is clamped to the history that the tier includes. */
export const windowQuery = {
  from: isoTimeInput.optional().meta({ description: "ISO 8601; omitted: 30 days ago" }),
  to: isoTimeInput.optional().meta({ description: "ISO 8601, exclusive; omitted: now" }),
  days: z.int().min(1).max(36_500).optional().meta({ description: "Days before `to`, if `from` is omitted" }),
  period_days: z.int().min(1).max(36_500).optional().meta({ description: "The same as `days`" }),
};

/** The window that a response covers, after clamping. */
export const periodResource = z.strictObject({ from: isoTime, to: isoTime }).meta({ id: "Period" });
