import type { Event } from "@tollgate/core/event";

/** Nobody knew its price when it happened. A rerating may have found one since. */
export function isUnpriced(event: Pick<Event, "cost_basis">): boolean {
  return event.cost_basis === "unpriced";
}
