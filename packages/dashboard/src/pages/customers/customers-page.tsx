import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { DAY_MS } from "@tollgate/core/time/durations";
import { useCallback, useMemo, useState } from "react";
import { breakdownFilters } from "../../data/breakdown-filters.ts";
import type { Range } from "../../data/range.ts";
import { useScopedClient } from "../../data/scope.tsx";
import { operationKey } from "../../data/use-operation.ts";
import { useView } from "../../data/view.tsx";
import type { Filters } from "../../data/view-search.ts";
import { count } from "../../format/counts.ts";
import { Button } from "../../parts/button.tsx";
import { CsvButton } from "../../parts/csv-button.tsx";
import { ListTable } from "../../parts/list-table.tsx";
import { CostSum } from "../../parts/money.tsx";
import { Empty } from "../../parts/states.tsx";
import { customerColumns } from "./customer-columns.tsx";

const PAGE_SIZE = 25;
/** The pages that fit on a large screen. */
const FOLLOWED_PAGES = 2;
const HOURLY_MS = 2 * DAY_MS;

export function CustomersPage() {
  const { search } = useView();
  return <CustomerList key={JSON.stringify(search)} />;
}

/** Customers with calls in the range, the most expensive first. */
function CustomerList() {
  const view = useView();
  // The first pages follow what happens; a reader who has scrolled further keeps the same list.
  const [kept, setKept] = useState<Range | null>(null);
  const range = kept ?? view.range;
  const navigate = useNavigate();
  const listed = useCustomers(range, view.filters);
  const pages = listed.data?.pages;
  const loadedPages = pages?.length ?? 0;
  const total = pages?.[0];
  const rows = useMemo(() => pages?.flatMap(({ groups }) => groups), [pages]);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = listed;
  const loadMore = useCallback(() => {
    if (!hasNextPage || isFetchingNextPage) return;
    if (loadedPages >= FOLLOWED_PAGES) setKept(range);
    void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage, range, loadedPages]);
  return (
    <>
      <div className="toolbar">
        <p className="muted figure" role="status">
          {total && rows && (
            <>
              {count(rows.length)} of {count(total.group_count)} shown,{" "}
              <CostSum microcents={total.total.cost_microcents} unpricedCalls={total.total.unpriced_calls} />{" "}
              in all
            </>
          )}
        </p>
        <div className="card-actions">
          {kept !== null && (
            <Button icon="play" onClick={() => setKept(null)}>
              Follow new calls
            </Button>
          )}
          <CsvButton name="customers" columns={customerColumns} rows={rows} />
        </div>
      </div>
      <ListTable
        query={listed}
        label={`Customers, ${view.range.title}`}
        columns={customerColumns}
        rows={rows}
        rowKey={({ key }) => (key === null ? "none" : `customer ${key}`)}
        height="calc(100dvh - 220px - var(--banner-height))"
        onEnd={loadMore}
        isOpenable={({ key }) => key !== null}
        onOpen={({ key }) => {
          if (key !== null) void navigate({ to: "/customers/$customerId", params: { customerId: key } });
        }}
        empty={
          <Empty title="No calls in this time range">
            Calls name a customer with the header X-Customer-ID.
          </Empty>
        }
      />
    </>
  );
}

function useCustomers({ from, to, lengthMs, previous }: Range, filters: Filters) {
  const { scope, client } = useScopedClient();
  const input = {
    group_by: "customer",
    from,
    to,
    interval: lengthMs <= HOURLY_MS ? "hour" : "day",
    limit: PAGE_SIZE,
    ...(previous === null ? {} : { compare: "previous" as const }),
    ...breakdownFilters(filters),
  } as const;
  return useInfiniteQuery({
    queryKey: operationKey(scope, "analytics.breakdown", { ...input, pages: true }),
    queryFn: ({ pageParam }) => client.call("analytics.breakdown", { ...input, offset: pageParam }),
    initialPageParam: 0,
    getNextPageParam: ({ next_offset }) => next_offset,
    // The same list a moment later: another range or filter is another list.
    placeholderData: before => before,
  });
}
