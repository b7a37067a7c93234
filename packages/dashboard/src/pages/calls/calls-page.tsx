import { useInfiniteQuery } from "@tanstack/react-query";
import { Outlet, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { eventStatuses } from "@tollgate/core/event";
import { useCallback, useEffect, useMemo, useState } from "react";
import { type LiveEvent, useLiveGaps } from "../../data/live.tsx";
import type { Range } from "../../data/range.ts";
import { useScopedClient } from "../../data/scope.tsx";
import { useLiveEvents } from "../../data/use-live-events.ts";
import { type Output, operationKey } from "../../data/use-operation.ts";
import { useView } from "../../data/view.tsx";
import type { Filters } from "../../data/view-search.ts";
import { plural } from "../../format/counts.ts";
import { dayOf } from "../../format/time.ts";
import { Button } from "../../parts/button.tsx";
import { ColumnMenu, useColumnChoice } from "../../parts/column-choice.tsx";
import { CsvButton } from "../../parts/csv-button.tsx";
import { ListTable } from "../../parts/list-table.tsx";
import { Empty } from "../../parts/states.tsx";
import { callColumns } from "./call-columns.tsx";
import { RefusedCalls } from "./refused-calls.tsx";
import { readShow } from "./show.ts";
import { ShowChoice } from "./show-choice.tsx";

const PAGE_SIZE = 200;
const MAX_LIVE = 1000;

type Call = Output<"events.list">["events"][number];

export function CallsPage() {
  const { search } = useView();
  const { show = "calls", budget } = useSearch({ from: "/calls", select: readShow });
  const gaps = useLiveGaps();
  const [reloads, setReloads] = useState(0);
  const key = JSON.stringify([search, gaps, reloads]);
  return (
    <>
      {show === "refused" ? (
        <RefusedCalls key={key} budget={budget} />
      ) : (
        <CallList key={key} onCut={() => setReloads(reloads + 1)} />
      )}
      <Outlet />
    </>
  );
}

interface CallListProps {
  /** More calls came than it keeps: it must be loaded again, or there would be a gap in it. */
  readonly onCut: () => void;
}

/** Every call of the range, newest first. The range is that of the moment it opens: new calls appear on top. */
function CallList({ onCut }: CallListProps) {
  const view = useView();
  const [{ range, filters }] = useState(view);
  const [isPaused, setIsPaused] = useState(false);
  const choice = useColumnChoice("calls", callColumns);
  const navigate = useNavigate();
  const openKey = useParams({ strict: false, select: ({ callId }) => callId });
  const listed = useCalls(range, filters);
  const live = useLiveEvents({
    limit: MAX_LIVE,
    isPaused,
    withRecent: true,
    // A call that is reported late may be older than the range.
    accepts: event => range.preset !== null && event.created_at >= range.from && matches(event, filters),
  });
  const isStale = live.isCut && !isPaused;
  useEffect(() => {
    if (isStale) onCut();
  }, [isStale, onCut]);
  const rows = useMemo(() => {
    const pages = listed.data?.pages;
    if (pages === undefined) return undefined;
    const known: readonly Call[] = pages.flatMap(({ events }) => events);
    const ids = new Set(known.map(({ id }) => id));
    return [...live.events.filter(({ id }) => !ids.has(id)), ...known];
  }, [listed.data, live.events]);

  const historyBegins = listed.data?.pages[0]?.history_begins_at ?? undefined;
  const removedBefore =
    historyBegins !== undefined && Date.parse(historyBegins) > Date.parse(range.from)
      ? historyBegins
      : undefined;
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = listed;
  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);

  return (
    <>
      <div className="toolbar">
        <ShowChoice show="calls" />
        <p className="muted figure" role="status">
          {rows !== undefined && `${plural(rows.length, "call")}${hasNextPage ? " loaded, more below" : ""}`}
          {removedBefore !== undefined && `, calls before ${dayOf(removedBefore)} have been removed`}
          {isPaused && live.waiting > 0 && `, ${plural(live.waiting, "new call")} waiting`}
        </p>
        <div className="card-actions">
          {range.preset !== null && (
            <Button
              icon={isPaused ? "play" : "pause"}
              aria-pressed={isPaused}
              onClick={() => setIsPaused(!isPaused)}
            >
              {isPaused ? "Resume" : "Pause"}
            </Button>
          )}
          <ColumnMenu columns={callColumns} choice={choice} />
          <CsvButton
            name="calls"
            columns={callColumns.filter(({ id }) => !choice.hidden.has(id))}
            rows={rows}
          />
        </div>
      </div>
      <ListTable
        query={listed}
        label="Calls"
        columns={callColumns}
        rows={rows}
        rowKey={({ id }) => id}
        hidden={choice.hidden}
        openKey={openKey}
        isNew={({ id }) => live.fresh.has(id)}
        height="calc(100dvh - 214px - var(--banner-height))"
        onEnd={loadMore}
        onOpen={({ id }) => void navigate({ to: "/calls/$callId", params: { callId: id } })}
        empty={
          <Empty title="No calls in this time range">
            Choose a longer range or other filters, or send a call through the gateway.
          </Empty>
        }
      />
    </>
  );
}

function useCalls(range: Range, filters: Filters) {
  const { scope, client } = useScopedClient();
  const { from, to } = range;
  // A range that ends now stays open: calls that end while the list loads belong to it.
  const input = { from, ...(range.preset === null ? { to } : {}), ...eventFilters(filters) };
  return useInfiniteQuery({
    // With `to`, so that a refresh of the page leaves the list alone.
    queryKey: operationKey(scope, "events.list", { ...input, to }),
    queryFn: ({ pageParam }) =>
      client.call("events.list", {
        ...input,
        limit: PAGE_SIZE,
        ...(pageParam === null ? {} : { cursor: pageParam }),
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
}

function eventFilters({ agent, customer, session, model, provider, key, status }: Filters) {
  const known = eventStatuses.find(one => one === status);
  return {
    ...(agent === undefined ? {} : { agent_id: agent }),
    ...(customer === undefined ? {} : { customer_id: customer }),
    ...(session === undefined ? {} : { session_id: session }),
    ...(model === undefined ? {} : { model }),
    ...(provider === undefined ? {} : { provider }),
    ...(key === undefined ? {} : { key_id: key }),
    ...(known === undefined ? {} : { status: known }),
  };
}

/** The same filters, for calls that arrive. */
function matches(
  event: LiveEvent,
  { agent, customer, session, model, provider, key, status }: Filters,
): boolean {
  const is = (wanted: string | undefined, value: string | null) => wanted === undefined || wanted === value;
  return (
    is(agent, event.agent_id) &&
    is(customer, event.customer_id) &&
    is(session, event.session_id) &&
    is(model, event.model) &&
    is(provider, event.provider) &&
    is(key, event.key_id) &&
    is(status, event.status)
  );
}
