import type { Event } from "@tollgate/core/event";

/** The price was unknown at the time of the call. A rerating may have found one since. */
export function isUnpriced(event: Pick<Event, "cost_basis">): boolean {
  return event.cost_basis === "unpriced";
}
