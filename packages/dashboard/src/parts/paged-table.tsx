import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import { Button } from "./button.tsx";
import { DataTable, type DataTableProps } from "./data-table.tsx";
import { Problem } from "./states.tsx";

/** A query of `useOperationPages`. */
type Pages = Pick<
  UseInfiniteQueryResult<InfiniteData<unknown>>,
  "data" | "failureReason" | "isFetching" | "hasNextPage" | "isFetchingNextPage" | "fetchNextPage"
>;

interface PagedTableProps<Row extends object> extends Omit<DataTableProps<Row>, "foot"> {
  /** Where the rows come from. */
  readonly pages: Pages;
}

/** A table of rows that are loaded page by page, or why there are none. */
export function PagedTable<Row extends object>({ pages, ...table }: PagedTableProps<Row>) {
  if (pages.data === undefined && pages.failureReason !== null) {
    return <Problem message={pages.failureReason.message} isRetrying={pages.isFetching} />;
  }
  return <DataTable {...table} foot={<ShowMore pages={pages} />} />;
}

/** Loads the next page, if there is one. */
function ShowMore({ pages }: { readonly pages: Pages }) {
  return (
    pages.hasNextPage && (
      <Button isBusy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
        Show more
      </Button>
    )
  );
}
