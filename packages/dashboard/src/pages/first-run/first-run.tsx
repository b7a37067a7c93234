import { Link } from "@tanstack/react-router";
import { DEFAULT_AGENT } from "@tollgate/core/agents/default-agent";
import { type ReactNode, useState } from "react";
import { useScope } from "../../data/scope.tsx";
import { useRole, useSession } from "../../data/session.tsx";
import { useFirstAgents } from "../../data/use-first-agents.ts";
import { useOperation } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Icon } from "../../parts/icon.tsx";
import { DemoState, useDemo } from "./demo-data.tsx";

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
  const { mode } = useScope();
  const agents = useFirstAgents(mode);
  const isUnused = agents?.length === 0;
  const others = useFirstAgents(mode === "live" ? "test" : "live", { enabled: isUnused, isWatched: true });
  const budgets = useOperation("budgets.list", {}).data?.budgets;
  // Until all is known nothing is claimed, and nothing jumps.
  if (agents === undefined || budgets === undefined || (isUnused && others === undefined)) return null;
  const done: Done = {
    call: [...agents, ...(others ?? [])].length > 0,
    budget: budgets.length > 0,
    client: agents.some(({ agent_key }) => agent_key !== DEFAULT_AGENT),
  };
  return done.call && done.budget && done.client ? null : <Steps done={done} onDismiss={onDismiss} />;
}

interface Done {
  readonly call: boolean;
  readonly budget: boolean;
  readonly client: boolean;
}

function Steps({ done, onDismiss }: { readonly done: Done; readonly onDismiss: () => void }) {
  const demo = useDemo();
  if (demo.isPending) return null;
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
