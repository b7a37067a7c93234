import { eventSources, eventStatuses } from "@tollgate/core/event";
import type { Input } from "./use-operation.ts";
import type { Filters } from "./view-search.ts";

type BreakdownFilters = Pick<
  Input<"analytics.breakdown">,
  "agent_id" | "customer_id" | "session_id" | "key_id" | "model" | "provider" | "status" | "source"
>;

/** The filters of the URL, as the breakdown names them. */
export function breakdownFilters(filters: Filters): BreakdownFilters {
  const status = eventStatuses.find(one => one === filters.status);
  const source = eventSources.find(one => one === filters.source);
  return {
    ...(filters.agent === undefined ? {} : { agent_id: filters.agent }),
    ...(filters.customer === undefined ? {} : { customer_id: filters.customer }),
    ...(filters.session === undefined ? {} : { session_id: filters.session }),
    ...(filters.key === undefined ? {} : { key_id: filters.key }),
    ...(filters.model === undefined ? {} : { model: filters.model }),
    ...(filters.provider === undefined ? {} : { provider: filters.provider }),
    ...(status === undefined ? {} : { status }),
    ...(source === undefined ? {} : { source }),
  };
}
