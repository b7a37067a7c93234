import { DAY_MS } from "@tollgate/core/time/durations";
import { startOfMonth } from "@tollgate/core/time/month";
import { Moment } from "../../parts/moment.tsx";
import type { Budget } from "./budget-subject.tsx";

/** A budget that was created or reset within its period counts less than the whole period. */
export function CountedSince({ budget: { period, counted_from, resets_at } }: { readonly budget: Budget }) {
  const endsAtMs = Date.parse(resets_at);
  const startsAtMs = period === "daily" ? endsAtMs - DAY_MS : startOfMonth(endsAtMs - 1);
  if (Date.parse(counted_from) <= startsAtMs) return null;
  return (
    <span className="muted">
      since <Moment at={counted_from} />
    </span>
  );
}
