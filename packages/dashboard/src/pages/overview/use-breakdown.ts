import { DAY_MS } from "@tollgate/core/time/durations";
import { breakdownFilters } from "../../data/breakdown-filters.ts";
import { useOperation } from "../../data/use-operation.ts";
import { useView } from "../../data/view.tsx";
import type { Group } from "./groups.ts";

/** Up to here a chart has hours. */
const MAX_HOURLY_MS = 3 * DAY_MS;
const SHOWN_GROUPS = 8;

/** Calls and cost of the range and filters of the URL. */
export function useBreakdown(group: Group) {
  const { range, filters } = useView();
  return useOperation("analytics.breakdown", {
    from: range.from,
    to: range.to,
    group_by: group,
    interval: range.lengthMs <= MAX_HOURLY_MS ? "hour" : "day",
    limit: SHOWN_GROUPS,
    ...(range.previous === null ? {} : { compare: "previous" }),
    ...breakdownFilters(filters),
  });
}
