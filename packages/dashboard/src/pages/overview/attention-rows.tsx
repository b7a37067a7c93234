import { Link } from "@tanstack/react-router";
import { type ReactNode, useId, useState } from "react";
import type { LiveAgent, LiveAlert } from "../../data/live.tsx";
import { useRole } from "../../data/session.tsx";
import { useAgentName } from "../../data/use-agent-name.ts";
import { useKeyNames } from "../../data/use-key-names.ts";
import { type Output, useChange, useFormChange } from "../../data/use-operation.ts";
import { percent, plural } from "../../format/counts.ts";
import { fullDollars } from "../../format/money.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogActions } from "../../parts/dialog.tsx";
import { DollarField, readDollarsAboveZero } from "../../parts/field.tsx";
import { Form } from "../../parts/form.tsx";
import { Moment } from "../../parts/moment.tsx";
import { CostSum, Money } from "../../parts/money.tsx";
import { Name } from "../../parts/name.tsx";
import { ResetTime } from "../../parts/reset-time.tsx";
import { Tag } from "../../parts/tag.tsx";
import { type Budget, subjectOf } from "../budgets/budget-subject.tsx";
import { usedShare } from "../budgets/budget-usage.tsx";
import { callsSearch } from "../calls/calls-search.ts";

type Webhook = Output<"webhooks.list">["webhooks"][number];
type ModelGroup = Output<"analytics.breakdown">["groups"][number];

const severityKinds = { critical: "bad", warning: "warning", info: "plain" } as const;

interface RowProps {
  readonly kind: string;
  readonly tag: ReactNode;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

function Row({ kind, tag, action, children }: RowProps) {
  const id = useId();
  return (
    <li data-attention={kind}>
      {tag}
      <p id={id}>{children}</p>
      {/* Read aloud with what it is about: the buttons of all rows have the same words. */}
      {action && (
        <div role="group" aria-labelledby={id}>
          {action}
        </div>
      )}
    </li>
  );
}

export function AlertRow({ alert }: { readonly alert: LiveAlert }) {
  const { can } = useRole();
  const acknowledge = useChange("alerts.acknowledge", { refreshes: ["alerts.list"] });
  if (acknowledge.isSuccess) return null;
  return (
    <Row
      kind="alert"
      tag={<Tag kind={severityKinds[alert.severity]}>{alert.severity}</Tag>}
      action={
        can("alerts.acknowledge") && (
          <Button
            kind="quiet"
            isBusy={acknowledge.isPending}
            onClick={() => acknowledge.mutate({ action: "acknowledge", alert_ids: [alert.id] })}
          >
            Acknowledge
          </Button>
        )
      }
    >
      {alert.message}{" "}
      <span className="muted">
        · <Moment at={alert.triggered_at} />
        {alert.resolved_at !== null && ", resolved"}
      </span>
    </Row>
  );
}

export function PausedRow({ agent }: { readonly agent: LiveAgent }) {
  const { can } = useRole();
  const resume = useChange("agents.resume", {
    refreshes: ["agents.list", "agents.get"],
    done: "Agent resumed",
  });
  if (resume.isSuccess) return null;
  return (
    <Row
      kind="paused"
      tag={<Tag kind="bad">paused</Tag>}
      action={
        can("agents.resume") && (
          <Button isBusy={resume.isPending} onClick={() => resume.mutate({ id: agent.id })}>
            Resume
          </Button>
        )
      }
    >
      The agent <Name name={agent.name} maxLength={60} /> is paused: the gateway refuses its calls.
    </Row>
  );
}

export function BudgetRow({ budget }: { readonly budget: Budget }) {
  const { can } = useRole();
  const [isRaising, setIsRaising] = useState(false);
  const used = usedShare(budget);
  return (
    <Row
      kind="budget"
      tag={<Tag kind={used >= 1 ? "bad" : "warning"}>budget</Tag>}
      action={can("budgets.update") && <Button onClick={() => setIsRaising(true)}>Raise the limit</Button>}
    >
      <BudgetOwner budget={budget} /> {budget.period} budget: {percent(used)} of{" "}
      <Money microcents={budget.limit_microcents} isFull /> used, resets <ResetTime at={budget.resets_at} />
      {isRaising && <RaiseLimit budget={budget} onClose={() => setIsRaising(false)} />}
    </Row>
  );
}

function BudgetOwner({ budget }: { readonly budget: Budget }) {
  const { agent_id, key_id } = budget;
  const agentName = useAgentName(agent_id);
  const keyName = useKeyNames({ enabled: key_id !== undefined }).get(key_id ?? "");
  const subject = subjectOf(budget);
  switch (subject.kind) {
    case "organization":
      return <>The organization’s</>;
    case "agent":
      return <Owner kind="The agent" name={agentName} />;
    case "key":
      return <Owner kind="The API key" name={keyName ?? null} />;
    case "customer":
      return <Owner kind="The customer" name={subject.id} />;
    default:
      return subject satisfies never;
  }
}

function Owner({ kind, name }: { readonly kind: string; readonly name: string | null }) {
  return name === null ? (
    <>{kind}’s</>
  ) : (
    <>
      {kind} <Name name={name} maxLength={40} />
      ’s
    </>
  );
}

interface RaiseLimitProps {
  readonly budget: Budget;
  readonly onClose: () => void;
}

function RaiseLimit({
  budget: { id, limit_microcents, current_spending_microcents, unpriced_calls },
  onClose,
}: RaiseLimitProps) {
  const [text, setText] = useState(() => fullDollars(limit_microcents).slice(1));
  const limit = readDollarsAboveZero(text);
  const update = useFormChange("budgets.update", {
    refreshes: ["budgets.list", "budgets.status", "budgets.get"],
    done: "Limit changed",
    onDone: onClose,
  });
  return (
    <Dialog title="Raise the limit" isOpen onClose={onClose}>
      <Form
        changes={[update]}
        onSubmit={() => {
          if (limit !== null) update.mutate({ id, limit_microcents: limit });
        }}
      >
        <DollarField
          label="Limit"
          value={text}
          onChange={setText}
          problem={limit === null ? "Enter an amount above 0, such as 25.00" : null}
          help={
            <>
              Spent so far:{" "}
              <CostSum microcents={current_spending_microcents} unpricedCalls={unpriced_calls} isFull />
            </>
          }
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={update.isPending} disabled={limit === null}>
            Save
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}

export function UnpricedRow({ group: { key, unpriced_calls } }: { readonly group: ModelGroup }) {
  if (key === null || unpriced_calls === null) return null;
  return (
    <Row
      kind="unpriced"
      tag={<Tag kind="warning">no price</Tag>}
      action={
        <Link to="/calls" search={callsSearch({ model: key })}>
          Show calls
        </Link>
      }
    >
      {plural(unpriced_calls, "call")} of <Name name={key} maxLength={60} /> in this range:{" "}
      {unpriced_calls === 1 ? "its" : "their"} cost is unknown.
    </Row>
  );
}

export function WebhookRow({
  webhook: { url, failing_since, disabled_reason },
}: {
  readonly webhook: Webhook;
}) {
  return (
    <Row kind="webhook" tag={<Tag kind="bad">webhook</Tag>}>
      <Name name={url} />{" "}
      {disabled_reason !== null ? (
        `is disabled: ${disabled_reason}`
      ) : (
        <>
          has failed since <Moment at={failing_since} />
        </>
      )}
    </Row>
  );
}
