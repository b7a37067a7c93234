import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useCallback, useMemo, useState } from "react";
import type { Range } from "../../data/range.ts";
import { useScopedClient } from "../../data/scope.tsx";
import { operationKey } from "../../data/use-operation.ts";
import { useView } from "../../data/view.tsx";
import type { Filters } from "../../data/view-search.ts";
import { plural } from "../../format/counts.ts";
import { Button } from "../../parts/button.tsx";
import { CsvButton } from "../../parts/csv-button.tsx";
import { ListTable } from "../../parts/list-table.tsx";
import { Empty } from "../../parts/states.tsx";
import { sessionColumns } from "./session-columns.tsx";

const PAGE_SIZE = 100;

export function SessionsPage() {
  const { range, filters } = useView();
  return <SessionList key={`${range.title} ${filters.customer} ${filters.agent}`} />;
}

/** Sessions with calls in the range, the latest first. Their figures are of the whole session. */
function SessionList() {
  const view = useView();
  // The first page follows what happens; a reader who has scrolled further keeps the same list.
  const [kept, setKept] = useState<Range | null>(null);
  const range = kept ?? view.range;
  const navigate = useNavigate();
  const listed = useSessions(range, view.filters);
  const rows = useMemo(() => listed.data?.pages.flatMap(({ sessions }) => sessions), [listed.data]);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = listed;
  const loadMore = useCallback(() => {
    if (!hasNextPage || isFetchingNextPage) return;
    setKept(range);
    void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage, range]);
  return (
    <>
      <div className="toolbar">
        <p className="muted figure" role="status">
          {rows !== undefined &&
            `${plural(rows.length, "session")}${hasNextPage ? " loaded, more below" : ""}`}
          {rows !== undefined && rows.length > 0 && ". Figures cover the whole session"}
        </p>
        <div className="card-actions">
          {kept !== null && (
            <Button icon="play" onClick={() => setKept(null)}>
              Follow new calls
            </Button>
          )}
          <CsvButton name="sessions" columns={sessionColumns} rows={rows} />
        </div>
      </div>
      <ListTable
        query={listed}
        label="Sessions"
        columns={sessionColumns}
        rows={rows}
        rowKey={({ id }) => id}
        height="calc(100dvh - 214px - var(--banner-height))"
        onEnd={loadMore}
        onOpen={({ id }) => void navigate({ to: "/sessions/$sessionId", params: { sessionId: id } })}
        empty={
          <Empty title="No sessions in this time range">
            Calls with the same X-Session-ID header form a session.
          </Empty>
        }
      />
    </>
  );
}

function useSessions({ from, to }: Range, { customer, agent }: Filters) {
  const { scope, client } = useScopedClient();
  const input = {
    from,
    to,
    ...(customer === undefined ? {} : { customer_id: customer }),
    ...(agent === undefined ? {} : { agent_id: agent }),
  };
  return useInfiniteQuery({
    queryKey: operationKey(scope, "sessions.list", input),
    queryFn: ({ pageParam }) =>
      client.call("sessions.list", {
        ...input,
        limit: PAGE_SIZE,
        ...(pageParam === null ? {} : { cursor: pageParam }),
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    // The same list a moment later: another range is another list.
    placeholderData: previous => previous,
  });
}
