import type { Event } from "@tollgate/core/event";

/** Its price was unknown when it happened. A rerating may have found one since. */
export function isUnpriced(event: Pick<Event, "cost_basis">): boolean {
  return event.cost_basis === "unpriced";
}
