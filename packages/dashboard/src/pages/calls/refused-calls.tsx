import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useCallback, useState } from "react";
import type { Range } from "../../data/range.ts";
import { useScopedClient } from "../../data/scope.tsx";
import { type Output, operationKey, useOperation } from "../../data/use-operation.ts";
import { useView } from "../../data/view.tsx";
import type { Filters } from "../../data/view-search.ts";
import { count, plural } from "../../format/counts.ts";
import { fullDollars } from "../../format/money.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Name } from "../../parts/name.tsx";
import { Empty, Problem } from "../../parts/states.tsx";
import { Tag } from "../../parts/tag.tsx";
import { KeyName } from "./key-name.tsx";
import { ShowChoice } from "./show-choice.tsx";

/** Refusals have no id, and several may have happened within a millisecond. */
type Refusal = Output<"refusals.list">["refusals"][number] & { readonly position: number };

const PAGE_SIZE = 200;

/** Of a budget it is an amount, of the others a number of calls. */
function limitText({ reason, limit }: Refusal): string {
  if (limit === null) return "–";
  return reason === "budget_exceeded" ? fullDollars(limit) : plural(limit, "call");
}

const columns: readonly Column<Refusal>[] = [
  {
    id: "time",
    title: "Time",
    width: "144px",
    value: ({ created_at }) => created_at,
    cell: ({ created_at }) => <Moment at={created_at} as="precise" />,
  },
  {
    id: "agent",
    title: "Agent",
    onPhone: "title",
    value: ({ agent_key }) => agent_key,
    cell: ({ agent_key }) => <Name name={agent_key ?? "(invalid)"} maxLength={40} />,
  },
  {
    id: "reason",
    title: "Reason",
    value: ({ reason }) => reason,
    cell: ({ reason }) => <Tag kind="bad">{reason.replaceAll("_", " ")}</Tag>,
  },
  {
    id: "http_status",
    title: "Answered",
    isNumber: true,
    width: "96px",
    value: ({ http_status }) => http_status,
    cell: ({ http_status }) => http_status,
  },
  {
    id: "limit",
    title: "Limit",
    isNumber: true,
    value: ({ limit }) => limit,
    cell: refusal => <span className="figure">{limitText(refusal)}</span>,
  },
  {
    id: "key",
    title: "API key",
    value: ({ key_id }) => key_id,
    cell: ({ key_id }) => <KeyName id={key_id} />,
  },
];

/** Calls without an event and without a cost: the gateway refused them before they were sent. */
export function RefusedCalls({ budget }: { readonly budget: string | undefined }) {
  const view = useView();
  const [{ range, filters }] = useState(view);
  const listed = useRefusals(range, filters, budget);
  const { data: counts } = useOperation("refusals.counts", {
    from: range.from,
    to: range.to,
    ...(filters.agent === undefined ? {} : { agent_id: filters.agent }),
  });
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = listed;
  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const rows = listed.data?.pages
    .flatMap(({ refusals }) => refusals)
    .map((refusal, position) => ({ ...refusal, position }));
  const fault = listed.error ?? listed.failureReason;
  if (fault !== null && rows === undefined) {
    return (
      <Problem message={fault.message} isRetrying={listed.isFetching} onRetry={() => void listed.refetch()} />
    );
  }
  return (
    <>
      <div className="toolbar">
        <ShowChoice show="refused" />
      </div>
      <p className="muted" role="status">
        {budget === undefined ? (
          counts === undefined ? (
            "Counting…"
          ) : (
            `${plural(counts.call_count, "call")} refused in the UTC hours of this range; at most 20 per reason and minute are listed`
          )
        ) : (
          <>
            Refused by{" "}
            <Link to="/budgets/$budgetId" params={{ budgetId: budget }}>
              one budget
            </Link>
            ; at most 20 per minute are listed.{" "}
            <Link to="/calls" search={before => ({ ...before, show: "refused", budget: undefined })}>
              Show all refused calls
            </Link>
          </>
        )}
      </p>
      {budget === undefined && counts !== undefined && counts.by_reason.length > 0 && (
        <ul className="refusal-reasons">
          {counts.by_reason.map(({ reason, call_count }) => (
            <li key={reason}>
              <Tag kind="bad">{reason.replaceAll("_", " ")}</Tag>{" "}
              <span className="figure">{count(call_count)}</span>
            </li>
          ))}
        </ul>
      )}
      <div className="card table-card">
        <DataTable
          label="Refused calls"
          columns={columns}
          rows={rows}
          rowKey={({ created_at, position }) => `${created_at} ${position}`}
          height="calc(100dvh - 250px - var(--banner-height))"
          onEnd={loadMore}
          empty={<Empty title="No call was refused in this time range" />}
        />
      </div>
    </>
  );
}

function useRefusals({ from, to }: Range, { agent, key }: Filters, budget: string | undefined) {
  const { scope, client } = useScopedClient();
  const input = {
    from,
    to,
    ...(agent === undefined ? {} : { agent_id: agent }),
    ...(key === undefined ? {} : { key_id: key }),
    ...(budget === undefined ? {} : { budget_id: budget }),
  };
  return useInfiniteQuery({
    queryKey: operationKey(scope, "refusals.list", input),
    queryFn: ({ pageParam }) =>
      client.call("refusals.list", {
        ...input,
        limit: PAGE_SIZE,
        ...(pageParam === null ? {} : { cursor: pageParam }),
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
}
