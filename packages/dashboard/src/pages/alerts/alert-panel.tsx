import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { alertFacts } from "@tollgate/core/alerts/alert-facts";
import { useRole } from "../../data/session.tsx";
import { useAgentName } from "../../data/use-agent-name.ts";
import { useChange, useOperation } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Detail, Details } from "../../parts/details.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Name } from "../../parts/name.tsx";
import { SidePanel } from "../../parts/side-panel.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { Tag } from "../../parts/tag.tsx";
import { enforcementTitles } from "../budgets/budget-words.ts";
import { callsSearch } from "../calls/calls-search.ts";
import { actionTitles, channelTitles, notificationKinds, severityKinds, typeTitles } from "./alert-words.ts";
import { type Alert, PAGE_SIZE } from "./use-alerts.ts";

export function AlertPanel() {
  const id = useParams({ strict: false, select: ({ alertId }) => alertId ?? "" });
  const navigate = useNavigate();
  const newest = useOperation("alerts.list", { limit: PAGE_SIZE });
  return (
    <SidePanel
      title="Alert"
      actions={<CopyButton text={id} label="Copy the id" />}
      onClose={() => void navigate({ to: "/alerts", search: true })}
    >
      <Loaded query={newest}>
        {({ alerts }) => {
          const alert = alerts.find(one => one.id === id);
          return alert === undefined ? (
            <Empty title={`Not among the newest ${PAGE_SIZE} alerts`} />
          ) : (
            <AlertDetails alert={alert} />
          );
        }}
      </Loaded>
    </SidePanel>
  );
}

function AlertDetails({ alert }: { readonly alert: Alert }) {
  const { can } = useRole();
  const { agent_id: agentId } = alert;
  const agentName = useAgentName(agentId);
  const acknowledge = useChange("alerts.acknowledge", {
    refreshes: ["alerts.list"],
    done: "Acknowledged",
  });
  const {
    budget_id: budgetId,
    last_call_at: lastCallAt,
    enforcement_mode: mode,
    action,
    // Said by the other rows, or by the sentence.
    agent_key: _agent,
    period_id: _period,
    ...metadata
  } = alert.metadata;
  return (
    <>
      <p className="panel-lead">
        <Tag kind={severityKinds[alert.severity]}>{alert.severity}</Tag>
        {alert.is_read ? <Tag>acknowledged</Tag> : <Tag kind="accent">not acknowledged</Tag>}
      </p>
      <p className="alert-message">{alert.message}</p>
      {!alert.is_read && can("alerts.acknowledge") && (
        <Button
          kind="primary"
          icon="check"
          isBusy={acknowledge.isPending}
          onClick={() => acknowledge.mutate({ action: "acknowledge", alert_ids: [alert.id] })}
        >
          Acknowledge
        </Button>
      )}
      <section className="panel-part" aria-labelledby="alert-details">
        <h3 id="alert-details">Details</h3>
        <Details>
          <Detail title="Type">{typeTitles[alert.type]}</Detail>
          <Detail title="Raised">
            <Moment at={alert.triggered_at} as="full" />
          </Detail>
          <Detail title="Ended">
            {alert.resolved_at === null ? "still open" : <Moment at={alert.resolved_at} as="full" />}
          </Detail>
          <Detail title="Agent">
            {agentId === null ? null : (
              <Link to="/calls" search={callsSearch({ agent: agentId })}>
                {agentName === null ? "its calls" : <Name name={agentName} />}
              </Link>
            )}
          </Detail>
          <Detail title="Budget">
            {typeof budgetId === "string" ? (
              <Link to="/budgets/$budgetId" params={{ budgetId }}>
                Open the budget
              </Link>
            ) : null}
          </Detail>
          <Detail title="Last call">
            {typeof lastCallAt === "string" ? <Moment at={lastCallAt} as="full" /> : null}
          </Detail>
          <Detail title="At the limit">{titleOf(enforcementTitles, mode)}</Detail>
          <Detail title="Action">{titleOf(actionTitles, action)}</Detail>
          {alertFacts(metadata).map(({ label, value }) => (
            <Detail key={label} title={label} className="figure">
              {value}
            </Detail>
          ))}
        </Details>
      </section>
      <section className="panel-part" aria-labelledby="alert-sent">
        <h3 id="alert-sent">Notifications</h3>
        {alert.notifications.length === 0 ? (
          <p className="muted">
            None: no channel with an address is selected for it.{" "}
            <Link to="/alerts/settings">Rules and channels</Link>
          </p>
        ) : (
          <ul className="alert-notifications">
            {alert.notifications.map(({ channel, status, attempts, last_error, finished_at }) => (
              <li key={channel}>
                <Tag kind={notificationKinds[status]}>{status}</Tag> {channelTitles[channel]}
                <span className="muted">
                  {" "}
                  · {attempts} {attempts === 1 ? "attempt" : "attempts"}
                  {finished_at !== null && (
                    <>
                      , <Moment at={finished_at} as="full" />
                    </>
                  )}
                </span>
                {last_error !== null && <p className="alert-error">{last_error}</p>}
              </li>
            ))}
          </ul>
        )}
      </section>
    </>
  );
}

function titleOf(titles: Readonly<Record<string, string>>, name: unknown): string | null {
  return typeof name === "string" && Object.hasOwn(titles, name) ? (titles[name] ?? null) : null;
}
