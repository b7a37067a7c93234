import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useHasCalls } from "../../data/has-calls.ts";
import { useRole, useSession } from "../../data/session.tsx";
import { useOperation } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Icon } from "../../parts/icon.tsx";
import { DemoState, useDemo } from "./demo-data.tsx";

/** Of calls that name none. */
const UNNAMED_AGENT = "default";

/** What a new organization has yet to do. It watches, and goes away by itself. */
export function FirstRun() {
  const { can } = useRole();
  const { organization } = useSession();
  const key = `tollgate-first-run-${organization.id}`;
  const [isDismissed, setIsDismissed] = useState(() => localStorage.getItem(key) !== null);
  if (isDismissed || !can("keys.create")) return null;
  return (
    <Checklist
      onDismiss={() => {
        localStorage.setItem(key, "dismissed");
        setIsDismissed(true);
      }}
    />
  );
}

function Checklist({ onDismiss }: { readonly onDismiss: () => void }) {
  const live = useHasCalls("live").data;
  const test = useHasCalls("test").data;
  const budgets = useOperation("budgets.list", {}).data?.budgets;
  const agents = useOperation("agents.list", { limit: 2 }).data?.agents;
  const demo = useDemo();
  // Until all is known nothing is claimed, and nothing jumps.
  if (live === undefined || test === undefined || budgets === undefined || agents === undefined) return null;
  const done = {
    call: live || test,
    budget: budgets.length > 0,
    client: agents.some(({ agent_key }) => agent_key !== UNNAMED_AGENT),
  };
  if (done.call && done.budget && done.client) return null;
  return (
    <Card
      title="Getting started"
      note="Each step is checked off once Tollgate sees it"
      className="wide"
      actions={
        <Button kind="quiet" onClick={onDismiss}>
          Dismiss
        </Button>
      }
    >
      <ol className="first-run">
        <Step name="call" isDone={done.call} title="Make your first call">
          With a test key the simulator answers: no provider account is needed.{" "}
          <Link to="/developers/connect">Show me the command</Link>
        </Step>
        <Step name="budget" isDone={done.budget} title="Set a budget">
          Calls beyond it are refused, or only reported. <Link to="/budgets">Set one</Link>
        </Step>
        <Step name="client" isDone={done.client} title="Connect your client">
          A call that names its agent (<code>X-Agent-ID</code>).{" "}
          <Link to="/developers/connect">Snippets for nine clients</Link>
        </Step>
        {demo.data && (
          <Step
            name="demo"
            isDone={demo.data.status === "ready"}
            title="Or look around first, with sample data"
          >
            <DemoState demo={demo.data} />
          </Step>
        )}
      </ol>
    </Card>
  );
}

interface StepProps {
  readonly name: string;
  readonly isDone: boolean;
  readonly title: string;
  readonly children: ReactNode;
}

function Step({ name, isDone, title, children }: StepProps) {
  return (
    <li data-step={name} data-done={isDone}>
      <span className="first-run-mark">{isDone && <Icon name="check" size={14} />}</span>
      <div>
        <p className="first-run-title">
          {title}
          {isDone && <span className="visually-hidden"> (done)</span>}
        </p>
        <div className="muted">{children}</div>
      </div>
    </li>
  );
}
