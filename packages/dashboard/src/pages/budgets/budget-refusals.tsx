import type { Output } from "../../data/use-operation.ts";
import { useOperation } from "../../data/use-operation.ts";
import { useView } from "../../data/view.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Money } from "../../parts/money.tsx";
import { Name } from "../../parts/name.tsx";
import { Empty, Problem } from "../../parts/states.tsx";

/** Refusals have no id, and several may have happened within a millisecond. */
type Refusal = Output<"refusals.list">["refusals"][number] & { readonly position: number };

const LISTED = 500;

const columns: readonly Column<Refusal>[] = [
  {
    id: "time",
    title: "Time",
    width: "minmax(120px, 0.8fr)",
    value: ({ created_at }) => created_at,
    cell: ({ created_at }) => <Moment at={created_at} />,
  },
  {
    id: "agent",
    title: "Agent",
    onPhone: "title",
    value: ({ agent_key }) => agent_key,
    cell: ({ agent_key }) =>
      agent_key === null ? <span className="muted">–</span> : <Name name={agent_key} maxLength={40} />,
  },
  {
    id: "limit",
    title: "Limit",
    isNumber: true,
    value: ({ limit }) => limit,
    cell: ({ limit }) => <Money microcents={limit} isFull />,
  },
];

/** Calls of the range that budgets refused: all, or those of one budget. */
export function BudgetRefusals({ budgetId }: { readonly budgetId?: string }) {
  const { range, filters } = useView();
  const query = useOperation("refusals.list", {
    reason: "budget_exceeded",
    from: range.from,
    to: range.to,
    limit: LISTED,
    ...(budgetId === undefined ? {} : { budget_id: budgetId }),
    ...(budgetId === undefined && filters.agent !== undefined ? { agent_id: filters.agent } : {}),
    ...(budgetId === undefined && filters.key !== undefined ? { key_id: filters.key } : {}),
  });
  const listed = query.data?.refusals;
  const rows = listed?.map((refusal, index) => ({ ...refusal, position: index - listed.length }));
  const fault = query.error ?? query.failureReason;
  if (rows === undefined && fault !== null) {
    return <Problem message={fault.message} isRetrying={query.isFetching} />;
  }
  return (
    <DataTable
      label="Calls refused by budgets"
      columns={columns}
      rows={rows}
      rowKey={({ created_at, position }) => `${created_at} ${position}`}
      height="280px"
      empty={<Empty title="No call was refused in this time range" />}
      foot={
        rows !== undefined &&
        rows.length > 0 && (
          <p className="muted table-foot">
            At most 20 per minute are listed
            {query.data?.next_cursor != null && `; these are the newest ${LISTED}`}.
          </p>
        )
      }
    />
  );
}
