import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useView } from "../../data/view.tsx";
import { count, plural } from "../../format/counts.ts";
import { clockTime } from "../../format/time.ts";
import { Card } from "../../parts/card.tsx";
import { CsvButton } from "../../parts/csv-button.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Moment } from "../../parts/moment.tsx";
import { CostSum, Money } from "../../parts/money.tsx";
import { Name } from "../../parts/name.tsx";
import { figureOf, Stat } from "../../parts/stat.tsx";
import { Empty, Problem } from "../../parts/states.tsx";
import { type CustomerSession, useCustomerSessions } from "./use-customer-sessions.ts";

const marginOf = ({ valueMicrocents, costMicrocents, unpricedCalls }: CustomerSession) =>
  valueMicrocents === null || unpricedCalls > 0 ? null : valueMicrocents - costMicrocents;
const dollarsOf = (microcents: number | null) => (microcents === null ? null : microcents / 10_000_000);

const columns: readonly Column<CustomerSession>[] = [
  {
    id: "session",
    title: "Session",
    width: "minmax(160px, 2fr)",
    onPhone: "title",
    value: ({ sessionId }) => sessionId,
    cell: ({ sessionId }) => <Name name={sessionId} maxLength={60} />,
  },
  {
    id: "last",
    title: "Last call",
    width: "minmax(110px, 0.8fr)",
    value: ({ lastCallAt }) => lastCallAt,
    cell: ({ lastCallAt }) => <Moment at={lastCallAt} />,
  },
  {
    id: "calls",
    title: "Calls",
    isNumber: true,
    width: "minmax(70px, 0.5fr)",
    value: ({ calls }) => calls,
    cell: ({ calls }) => count(calls),
  },
  {
    id: "value",
    title: "Value",
    isNumber: true,
    width: "minmax(90px, 0.7fr)",
    value: ({ valueMicrocents }) => dollarsOf(valueMicrocents),
    cell: ({ valueMicrocents }) => <Money microcents={valueMicrocents} />,
  },
  {
    id: "margin",
    title: "Value minus cost",
    isNumber: true,
    width: "minmax(134px, 0.7fr)",
    value: session => dollarsOf(marginOf(session)),
    cell: session => <Money microcents={marginOf(session)} />,
  },
  {
    id: "cost",
    title: "Cost",
    isNumber: true,
    width: "minmax(196px, 0.9fr)",
    onPhone: "amount",
    value: ({ costMicrocents }) => dollarsOf(costMicrocents),
    cell: ({ costMicrocents, unpricedCalls }) => (
      <CostSum microcents={costMicrocents} unpricedCalls={unpricedCalls} />
    ),
  },
];

/** Sessions of the range with their cost and value. The range is that of the moment it opens. */
export function CustomerSessions({ customerId }: { readonly customerId: string }) {
  const view = useView();
  const [{ range }] = useState(view);
  const navigate = useNavigate();
  const joined = useCustomerSessions(customerId, range);
  const { data, failureReason, isFetching } = joined;
  const sessions = data?.sessions;
  const sums = sessions && {
    cost: sessions.reduce((sum, { costMicrocents }) => sum + costMicrocents, 0),
    unpriced: sessions.reduce((sum, { unpricedCalls }) => sum + unpricedCalls, 0),
    valued: sessions.flatMap(({ valueMicrocents }) => valueMicrocents ?? []),
  };
  const isWhole = data?.hasAllCalls === true && data.hasAllOutcomes;
  const value =
    sums === undefined || !isWhole || sums.valued.length === 0
      ? null
      : sums.valued.reduce((sum, one) => sum + one, 0);
  const margin = value === null || sums === undefined || sums.unpriced > 0 ? null : value - sums.cost;
  return (
    <Card
      title="Sessions: cost against value"
      note={`Calls in this range, as of ${clockTime(range.to)}; the value comes from the sessions' outcomes`}
      actions={<CsvButton name="customer-sessions" columns={columns} rows={sessions} />}
    >
      {sessions === undefined && failureReason !== null && (
        <Problem message={failureReason.message} isRetrying={isFetching} />
      )}
      <dl className="stats">
        <Stat
          label="Sessions"
          name="sessions"
          value={figureOf(joined, ({ sessions }) => count(sessions.length))}
        />
        <Stat
          label="Cost of these sessions"
          name="sessions-cost"
          value={figureOf(
            joined,
            () => sums && <CostSum microcents={sums.cost} unpricedCalls={sums.unpriced} />,
          )}
          note={data && !data.hasAllCalls ? "of the newest 3,000 calls" : undefined}
        />
        <Stat
          label="Attributed value"
          name="value"
          value={figureOf(joined, () => <Money microcents={value} />)}
          note={
            data === undefined
              ? undefined
              : isWhole
                ? plural(
                    data.sessions.reduce((sum, { outcomes }) => sum + outcomes, 0),
                    "outcome",
                  )
                : "too many calls or outcomes to join here: choose a shorter range"
          }
        />
        <Stat
          label="Value minus cost"
          name="margin"
          value={figureOf(joined, () => <Money microcents={margin} />)}
        />
      </dl>
      <DataTable
        label="Sessions of the customer"
        columns={columns}
        rows={sessions}
        rowKey={({ sessionId }) => sessionId}
        sorting={{ id: "last", desc: true }}
        height="420px"
        onOpen={({ sessionId }) => void navigate({ to: "/sessions/$sessionId", params: { sessionId } })}
        empty={<Empty title="No sessions in this time range" />}
      />
    </Card>
  );
}
