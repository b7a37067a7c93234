import { eventSources, eventStatuses } from "@tollgate/core/event";
import type { Input } from "./use-operation.ts";
import type { Filters } from "./view-search.ts";

type BreakdownFilters = Pick<
  Input<"analytics.breakdown">,
  "agent_id" | "customer_id" | "session_id" | "model" | "provider" | "key_id" | "status" | "source"
>;

/** The filters of the URL, as `analytics.breakdown` takes them. */
export function analyticsFilters(filters: Filters): BreakdownFilters {
  const { agent, customer, session, model, provider, key } = filters;
  const status = eventStatuses.find(one => one === filters.status);
  const source = eventSources.find(one => one === filters.source);
  return {
    ...(agent === undefined ? {} : { agent_id: agent }),
    ...(customer === undefined ? {} : { customer_id: customer }),
    ...(session === undefined ? {} : { session_id: session }),
    ...(model === undefined ? {} : { model }),
    ...(provider === undefined ? {} : { provider }),
    ...(key === undefined ? {} : { key_id: key }),
    ...(status === undefined ? {} : { status }),
    ...(source === undefined ? {} : { source }),
  };
}
