import { useMemo, useState } from "react";
import { type LiveAlert, useLiveAgents, useLiveMessages } from "../../data/live.tsx";
import { useRole } from "../../data/session.tsx";
import { useChange, useOperation } from "../../data/use-operation.ts";
import { percent } from "../../format/counts.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Money } from "../../parts/money.tsx";
import { Name } from "../../parts/name.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { Tag } from "../../parts/tag.tsx";

const MAX_ALERTS = 20;
/** From here on a budget is near its end. */
const NEAR_END_PCT = 80;

const severityKinds = { critical: "bad", warning: "warning", info: "plain" } as const;

/** Unread alerts, and budgets near their end. */
export function Attention() {
  const alerts = useOperation("alerts.list", { unread_only: true, limit: MAX_ALERTS });
  const budgets = useOperation("budgets.status", {});
  const arrived = useArrivedAlerts();
  const near = budgets.data?.budgets.filter(({ percentage_used }) => percentage_used >= NEAR_END_PCT) ?? [];
  const open = useMemo(() => {
    const listed = alerts.data?.alerts ?? [];
    const known = new Set(listed.map(({ id }) => id));
    return [...arrived.filter(({ id }) => !known.has(id)), ...listed].slice(0, MAX_ALERTS);
  }, [alerts.data, arrived]);
  const isEmpty = open.length === 0 && near.length === 0;
  return (
    <Card title="Needs attention">
      {isEmpty ? (
        <Loaded query={alerts}>{() => <Empty title="Nothing needs attention" />}</Loaded>
      ) : (
        <ul className="attention">
          {open.map(alert => (
            <AlertRow key={alert.id} alert={alert} />
          ))}
          {near.map(budget => (
            <li key={budget.id} data-attention="budget">
              <Tag kind={budget.percentage_used >= 100 ? "bad" : "warning"}>budget</Tag>
              <p>
                <BudgetOwner budget={budget} /> {budget.period} budget:{" "}
                {percent(budget.percentage_used / 100)} of{" "}
                <Money microcents={budget.limit_microcents} isFull /> used, resets{" "}
                <Moment at={budget.resets_at} />
              </p>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

/** Alerts that came over the live channel since the page was opened. */
function useArrivedAlerts(): readonly LiveAlert[] {
  const [arrived, setArrived] = useState<readonly LiveAlert[]>([]);
  useLiveMessages("alerts", alert => setArrived(known => [alert, ...known].slice(0, MAX_ALERTS)));
  return arrived;
}

function AlertRow({ alert }: { readonly alert: LiveAlert }) {
  const { can } = useRole();
  const acknowledge = useChange("alerts.acknowledge", { refreshes: ["alerts.list"] });
  if (acknowledge.isSuccess) return null;
  return (
    <li data-attention="alert">
      <Tag kind={severityKinds[alert.severity]}>{alert.severity}</Tag>
      <p>
        {alert.message}{" "}
        <span className="muted">
          · <Moment at={alert.triggered_at} />
          {alert.resolved_at !== null && ", resolved"}
        </span>
      </p>
      {can("alerts.acknowledge") && (
        <Button
          kind="quiet"
          isBusy={acknowledge.isPending}
          onClick={() => acknowledge.mutate({ action: "acknowledge", alert_ids: [alert.id] })}
        >
          Mark as read
        </Button>
      )}
    </li>
  );
}

interface Owned {
  readonly agent_id: string | null;
  readonly key_id: string | null;
  readonly customer_id: string | null;
}

function BudgetOwner({ budget: { agent_id, key_id, customer_id } }: { readonly budget: Owned }) {
  const agents = useLiveAgents();
  if (key_id !== null) return <>An API key’s</>;
  if (customer_id !== null) {
    return (
      <>
        Customer <Name name={customer_id} maxLength={40} />
      </>
    );
  }
  if (agent_id === null) return <>The organization’s</>;
  const agent = agents.get(agent_id);
  return agent === undefined ? <>An agent’s</> : <Name name={agent.name} maxLength={40} />;
}
