import { useState } from "react";
import { useRole } from "../../data/session.tsx";
import { type Output, useChange, useOperation } from "../../data/use-operation.ts";
import { percent, shareOf } from "../../format/counts.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Meter } from "../../parts/meter.tsx";
import { Moment } from "../../parts/moment.tsx";
import { CostSum, Money } from "../../parts/money.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { Tag } from "../../parts/tag.tsx";
import { BudgetForm } from "./budget-form.tsx";

type Budget = Output<"budgets.list">["budgets"][number];

/** What limits the agent: its own budgets and those of the whole organization. */
export function AgentBudgets({ agentId }: { readonly agentId: string }) {
  const { can } = useRole();
  const query = useOperation("budgets.list", {});
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Card
      title="Budgets"
      note="Periods are UTC days and months"
      actions={can("budgets.set") && <Button onClick={() => setIsOpen(true)}>Set budget</Button>}
    >
      <Loaded query={query}>
        {({ budgets }) => {
          const own = budgets.filter(({ agent_id }) => agent_id === agentId);
          const shared = budgets.filter(
            ({ agent_id, key_id, customer_id }) => (agent_id ?? key_id ?? customer_id) === undefined,
          );
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
      {isOpen && (
        <BudgetForm
          agentId={agentId}
          budgets={query.data?.budgets.filter(({ agent_id }) => agent_id === agentId) ?? []}
          onClose={() => setIsOpen(false)}
        />
      )}
    </Card>
  );
}

function BudgetRow({ budget }: { readonly budget: Budget }) {
  const { can } = useRole();
  const refreshes = ["budgets.list", "budgets.status"] as const;
  const update = useChange("budgets.update", { refreshes, done: "Saved." });
  const isPaused = budget.status === "paused";
  const used = shareOf(budget.current_spending_microcents, budget.limit_microcents);
  const level = isPaused ? "muted" : levelOf(used, budget.warning_pct);
  return (
    <li data-budget={budget.id}>
      <div className="row-line">
        <p>
          <b>{budget.period === "daily" ? "Daily" : "Monthly"}</b>
          {budget.agent_id === undefined && " (whole organization)"}{" "}
          <Tag>{budget.enforcement_mode.replaceAll("_", " ")}</Tag> {budget.strict && <Tag>strict</Tag>}{" "}
          {isPaused && <Tag kind="warning">paused</Tag>}
        </p>
        {can("budgets.update") && (
          <Button
            kind="quiet"
            isBusy={update.isPending}
            onClick={() => update.mutate({ id: budget.id, paused: !isPaused })}
          >
            {isPaused ? "Enforce again" : "Pause"}
          </Button>
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
        <Moment at={budget.resets_at} />
      </p>
    </li>
  );
}

function levelOf(used: number | null, warningPct: number): "plain" | "warning" | "bad" {
  if (used === null || used * 100 < warningPct) return "plain";
  return used >= 1 ? "bad" : "warning";
}
