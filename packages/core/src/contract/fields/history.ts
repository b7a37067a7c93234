import { isoTime } from "./iso-time.ts";

/** Where retention has let history begin. */
export const historyBeginsAt = isoTime.nullable().meta({
  description:
    "Single calls before it have been removed (SVC_RETENTION_DAYS). Sums of whole hours and days are kept; what they do not distinguish is missing. null: none has been removed",
});
