import { useState } from "react";
import { useRole } from "../../data/session.tsx";
import { useChange, useOperation } from "../../data/use-operation.ts";
import { percent, shareOf } from "../../format/counts.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Meter } from "../../parts/meter.tsx";
import { CostSum, Money } from "../../parts/money.tsx";
import { ResetTime } from "../../parts/reset-time.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { Tag } from "../../parts/tag.tsx";
import { BudgetDialog } from "../budgets/budget-dialog.tsx";
import { type Budget, subjectOf } from "../budgets/budget-subject.tsx";
import { enforcementTitles, periodTitles } from "../budgets/budget-words.ts";
import { budgetReads } from "../budgets/use-budgets.ts";

/** Budgets that limit the agent: its own and those of the whole organization. */
export function AgentBudgets({ agentId }: { readonly agentId: string }) {
  const { can } = useRole();
  const query = useOperation("budgets.list", {});
  const [isCreating, setIsCreating] = useState(false);
  return (
    <Card
      title="Budgets"
      note="Periods are UTC days and months"
      actions={can("budgets.create") && <Button onClick={() => setIsCreating(true)}>New budget</Button>}
    >
      <Loaded query={query}>
        {({ budgets }) => {
          const own = budgets.filter(({ agent_id }) => agent_id === agentId);
          const shared = budgets.filter(budget => subjectOf(budget).kind === "organization");
          return own.length + shared.length === 0 ? (
            <Empty title="No budget limits this agent" />
          ) : (
            <ul className="rows">
              {[...own, ...shared].map(budget => (
                <BudgetRow key={budget.id} budget={budget} />
              ))}
            </ul>
          );
        }}
      </Loaded>
      {isCreating && (
        <BudgetDialog subject={{ kind: "agent", id: agentId }} onClose={() => setIsCreating(false)} />
      )}
    </Card>
  );
}

function BudgetRow({ budget }: { readonly budget: Budget }) {
  const { can } = useRole();
  const [isChanging, setIsChanging] = useState(false);
  const update = useChange("budgets.update", {
    refreshes: budgetReads,
    done: ({ status }) => (status === "paused" ? "Budget paused" : "Budget resumed"),
  });
  const isPaused = budget.status === "paused";
  const used = shareOf(budget.current_spending_microcents, budget.limit_microcents);
  const level = isPaused ? "muted" : levelOf(used, budget.warning_pct);
  return (
    <li data-budget={budget.id}>
      <div className="row-line">
        <p>
          <b>{periodTitles[budget.period]}</b>
          {budget.agent_id === undefined && " (whole organization)"}{" "}
          <Tag>{enforcementTitles[budget.enforcement_mode]}</Tag> {budget.strict && <Tag>strict</Tag>}{" "}
          {isPaused && <Tag kind="warning">paused</Tag>}
        </p>
        {can("budgets.update") && (
          <div className="card-actions">
            <Button kind="quiet" onClick={() => setIsChanging(true)}>
              Change
            </Button>
            <Button
              kind="quiet"
              isBusy={update.isPending}
              onClick={() => update.mutate({ id: budget.id, paused: !isPaused })}
            >
              {isPaused ? "Resume" : "Pause"}
            </Button>
          </div>
        )}
      </div>
      {used !== null && (
        <Meter
          label={`${budget.period} budget`}
          text={`${percent(used)} used`}
          share={used}
          kind={level}
          marks={[{ at: budget.warning_pct / 100, title: `Warns at ${budget.warning_pct}%` }]}
        />
      )}
      <p className="muted">
        <CostSum microcents={budget.current_spending_microcents} unpricedCalls={budget.unpriced_calls} /> of{" "}
        <Money microcents={budget.limit_microcents} isFull /> ({percent(used)}), resets{" "}
        <ResetTime at={budget.resets_at} />
      </p>
      {isChanging && <BudgetDialog budget={budget} onClose={() => setIsChanging(false)} />}
    </li>
  );
}

function levelOf(used: number | null, warningPct: number): "plain" | "warning" | "bad" {
  if (used === null || used * 100 < warningPct) return "plain";
  return used >= 1 ? "bad" : "warning";
}
