import { FilterBar } from "./filter-bar.tsx";
import { usePage } from "./use-page.ts";

/** The filters of the open page, if it has any. */
export function PageFilters() {
  const { filters = [] } = usePage();
  return filters.length === 0 ? null : <FilterBar offered={filters} />;
}
