import { Outlet, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useRole, useSession } from "../../data/session.tsx";
import { useOperation } from "../../data/use-operation.ts";
import { useView } from "../../data/view.tsx";
import { count } from "../../format/counts.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { CostSum } from "../../parts/money.tsx";
import { ResetTime } from "../../parts/reset-time.tsx";
import { figureOf, Stat } from "../../parts/stat.tsx";
import { Empty, Problem } from "../../parts/states.tsx";
import { Tag } from "../../parts/tag.tsx";
import { BudgetDialog } from "./budget-dialog.tsx";
import { BudgetForecast, usePace } from "./budget-forecast.tsx";
import { BudgetRefusals } from "./budget-refusals.tsx";
import { type Budget, filteredSubject, isShown, SubjectName, subjectOf } from "./budget-subject.tsx";
import { BudgetUsage, usedShare } from "./budget-usage.tsx";
import { enforcementTitles, periodTitles } from "./budget-words.ts";
import { type Prediction, useExhaustions } from "./use-budgets.ts";

export function BudgetsPage() {
  return (
    <div className="budgets">
      <BudgetFigures />
      <BudgetList />
      <RefusedCard />
      <Outlet />
    </div>
  );
}

function BudgetFigures() {
  const { range, filters } = useView();
  const status = useOperation("budgets.status", {});
  const refused = useOperation("refusals.counts", {
    from: range.from,
    to: range.to,
    ...(filters.agent === undefined ? {} : { agent_id: filters.agent }),
  });
  const list = useOperation("budgets.list", {});
  const budgets = list.data?.budgets.filter(budget => isShown(budget, filters));
  const near = budgets?.filter(
    budget => usedShare(budget) * 100 >= budget.warning_pct && usedShare(budget) < 1,
  );
  const reached = budgets?.filter(budget => usedShare(budget) >= 1);
  return (
    <Card
      title="All budgets"
      note="This month’s spend and budget states are in UTC; the time range does not apply"
    >
      <dl className="stats">
        <Stat
          label="Organization’s spend this month (UTC)"
          name="month-spend"
          isLarge
          value={figureOf(status, ({ total_spending_microcents, unpriced_calls }) => (
            <CostSum microcents={total_spending_microcents} unpricedCalls={unpriced_calls} />
          ))}
        />
        <Stat
          label="Past their warning threshold"
          name="near"
          value={figureOf(list, () => count(near?.length))}
        />
        <Stat label="Reached" name="reached" value={figureOf(list, () => count(reached?.length))} />
        <Stat
          label="Calls refused by budgets"
          name="refused"
          value={figureOf(refused, ({ by_reason }) =>
            count(by_reason.find(({ reason }) => reason === "budget_exceeded")?.call_count ?? 0),
          )}
          note={`${range.title}, in whole UTC hours`}
        />
      </dl>
    </Card>
  );
}

function columnsOf(predictions: ReadonlyMap<string, Prediction>): readonly Column<Budget>[] {
  return [
    {
      id: "budget",
      title: "Budget",
      width: "minmax(150px, 1fr)",
      onPhone: "title",
      cell: budget => (
        <>
          <SubjectName subject={subjectOf(budget)} />{" "}
          <span className="budget-tags">
            <Tag>{periodTitles[budget.period]}</Tag>
            {budget.status === "paused" && <Tag kind="warning">paused</Tag>}
          </span>
        </>
      ),
    },
    {
      id: "used",
      title: "Used",
      width: "minmax(220px, 1.8fr)",
      value: usedShare,
      cell: budget => <UsageCell budget={budget} />,
    },
    {
      id: "forecast",
      title: "Forecast",
      width: "minmax(130px, 1.2fr)",
      cell: budget => <ForecastCell budget={budget} prediction={predictions.get(budget.id)} />,
    },
    {
      id: "mode",
      title: "At the limit",
      width: "minmax(100px, 0.6fr)",
      value: ({ enforcement_mode }) => enforcementTitles[enforcement_mode],
      cell: ({ enforcement_mode, strict }) => (
        <>
          {enforcementTitles[enforcement_mode]} {strict && <Tag>strict</Tag>}
        </>
      ),
    },
    {
      id: "resets",
      title: "Resets",
      width: "minmax(146px, 0.6fr)",
      value: ({ resets_at }) => resets_at,
      cell: ({ resets_at }) => <ResetTime at={resets_at} />,
    },
  ];
}

function UsageCell({ budget }: { readonly budget: Budget }) {
  return <BudgetUsage budget={budget} pace={usePace(budget)} />;
}

function ForecastCell({
  budget,
  prediction,
}: {
  readonly budget: Budget;
  readonly prediction: Prediction | undefined;
}) {
  return <BudgetForecast budget={budget} pace={usePace(budget)} prediction={prediction} />;
}

function BudgetList() {
  const { filters } = useView();
  const { can } = useRole();
  const { organization } = useSession();
  const navigate = useNavigate();
  const openKey = useParams({ strict: false, select: ({ budgetId }) => budgetId });
  const [isCreating, setIsCreating] = useState(false);
  const query = useOperation("budgets.list", {});
  const columns = columnsOf(useExhaustions());
  const rows = query.data?.budgets.filter(budget => isShown(budget, filters));
  const fault = query.error ?? query.failureReason;
  const most = organization.limits.budgets;
  const open = (id: string) => void navigate({ to: "/budgets/$budgetId", params: { budgetId: id } });
  return (
    <Card
      title="Budgets"
      note={
        query.data !== undefined && most !== null
          ? `${count(query.data.budgets.length)} of ${count(most)} included in the tier`
          : undefined
      }
      actions={
        can("budgets.create") && (
          <Button kind="primary" icon="plus" onClick={() => setIsCreating(true)}>
            New budget
          </Button>
        )
      }
    >
      {rows === undefined && fault !== null ? (
        <Problem message={fault.message} isRetrying={query.isFetching} onRetry={() => void query.refetch()} />
      ) : (
        <DataTable
          label="Budgets"
          isMain
          columns={columns}
          rows={rows}
          rowKey={({ id }) => id}
          openKey={openKey}
          onOpen={({ id }) => open(id)}
          empty={
            <Empty
              title={
                filteredSubject(filters) === undefined ? "No budgets yet" : "No budget matches the filters"
              }
            >
              A budget limits what calls may cost per day or month, and warns beforehand.
            </Empty>
          }
        />
      )}
      {isCreating && (
        <BudgetDialog
          subject={filteredSubject(filters)}
          onClose={() => setIsCreating(false)}
          onCreated={open}
        />
      )}
    </Card>
  );
}

function RefusedCard() {
  const { range } = useView();
  return (
    <Card title="Calls refused by budgets" note={range.title}>
      <BudgetRefusals />
    </Card>
  );
}
