import { z } from "zod";
import { isoTime, isoTimeInput } from "./iso-time.ts";

const MAX_DAYS = 36_500;
/** More than any history has is no error: the window is clamped anyway. */
const days = z
  .int()
  .min(1)
  .overwrite(asked => Math.min(asked, MAX_DAYS));

/** The window of an analysis: `from` and `to`, or `days`. It is clamped to the history that the tier includes. */
export const windowQuery = {
  from: isoTimeInput.optional().meta({ description: "ISO 8601; omitted: 30 days before `to`" }),
  to: isoTimeInput.optional().meta({ description: "ISO 8601, exclusive; omitted: now" }),
  days: days.optional().meta({ description: "Days before `to`, if `from` is omitted" }),
  period_days: days.optional().meta({ description: "The same as `days`" }),
};

/** The window that a response covers, after clamping. */
export const periodResource = z.strictObject({ from: isoTime, to: isoTime }).meta({ id: "Period" });
