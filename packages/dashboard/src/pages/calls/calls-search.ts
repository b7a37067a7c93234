import type { Filters, ViewSearch } from "../../data/view-search.ts";

/** The search of a link to the calls that have this in common: of the page it is on, only the view is kept. */
export function callsSearch(filters: Filters) {
  return (before: ViewSearch) => ({ ...before, ...filters, show: undefined, budget: undefined });
}
