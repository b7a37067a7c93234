import { useMemo, useState } from "react";
import { type LiveAlert, useLiveAgents, useLiveMessages } from "../../data/live.tsx";
import { useOperation } from "../../data/use-operation.ts";
import { count } from "../../format/counts.ts";
import { NEAR_LIMIT_SHARE } from "../../format/near-limit.ts";
import { Card } from "../../parts/card.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { usedShare } from "../budgets/budget-usage.tsx";
import { AlertRow, BudgetRow, PausedRow, UnpricedRow, WebhookRow } from "./attention-rows.tsx";
import { mostSevereFirst } from "./most-severe-first.ts";
import { useBreakdown } from "./use-breakdown.ts";

const MAX_ALERTS = 200;
/** Longer lists are on pages of their own. */
const MAX_OF_A_KIND = 5;

/** Things that need a person: paused agents, alerts, budgets, models without a price, failing webhooks. */
export function Attention() {
  const alerts = useOpenAlerts();
  const paused = [...useLiveAgents().values()].filter(({ is_paused }) => is_paused);
  const budgets = useOperation("budgets.list", {}).data?.budgets ?? [];
  const near = budgets.filter(budget => budget.status === "active" && usedShare(budget) >= NEAR_LIMIT_SHARE);
  const webhooks = useOperation("webhooks.list", {}).data?.webhooks ?? [];
  const failing = webhooks.filter(
    ({ failing_since, disabled_reason }) => failing_since !== null || disabled_reason !== null,
  );
  const unpriced =
    useBreakdown("model").data?.groups.filter(
      ({ unpriced_calls }) => unpriced_calls !== null && unpriced_calls > 0,
    ) ?? [];
  const rows = [
    ...paused.slice(0, MAX_OF_A_KIND).map(agent => <PausedRow key={agent.id} agent={agent} />),
    ...mostSevereFirst(alerts.open)
      .slice(0, MAX_OF_A_KIND)
      .map(alert => <AlertRow key={alert.id} alert={alert} />),
    ...near.slice(0, MAX_OF_A_KIND).map(budget => <BudgetRow key={budget.id} budget={budget} />),
    ...unpriced.slice(0, MAX_OF_A_KIND).map(group => <UnpricedRow key={group.key} group={group} />),
    ...failing.slice(0, MAX_OF_A_KIND).map(webhook => <WebhookRow key={webhook.id} webhook={webhook} />),
  ];
  const all = paused.length + alerts.open.length + near.length + unpriced.length + failing.length;
  return (
    <Card
      title="Needs attention"
      note={all > rows.length ? `${rows.length} of ${count(all)} shown` : undefined}
    >
      {rows.length === 0 ? (
        <Loaded query={alerts.query}>{() => <Empty title="Nothing needs attention" />}</Loaded>
      ) : (
        <ul className="attention">{rows}</ul>
      )}
    </Card>
  );
}

/** Unread ones, with those that came over the live channel since the page was opened. */
function useOpenAlerts() {
  const query = useOperation("alerts.list", { unread_only: true, limit: MAX_ALERTS });
  const [arrived, setArrived] = useState<readonly LiveAlert[]>([]);
  useLiveMessages("alerts", alert => setArrived(known => [alert, ...known].slice(0, MAX_ALERTS)));
  const open = useMemo(() => {
    const listed = query.data?.alerts ?? [];
    // An alert that is older than the list, but not in it, has been read.
    const fresh = arrived.filter(({ triggered_at }) => Date.parse(triggered_at) > query.dataUpdatedAt);
    const known = new Set(listed.map(({ id }) => id));
    return [...fresh.filter(({ id }) => !known.has(id)), ...listed];
  }, [query.data, query.dataUpdatedAt, arrived]);
  return { query, open };
}
