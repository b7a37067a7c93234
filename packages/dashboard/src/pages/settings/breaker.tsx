import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useScope } from "../../data/scope.tsx";
import { useRole } from "../../data/session.tsx";
import { type Output, useChange, useFormChange, useOperation } from "../../data/use-operation.ts";
import { plural } from "../../format/counts.ts";
import { AgentField } from "../../parts/agent-field.tsx";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Form } from "../../parts/form.tsx";
import { Name } from "../../parts/name.tsx";
import { Loaded } from "../../parts/states.tsx";

type Agent = Output<"agents.list">["agents"][number];

const SHOWN = 50;
const refreshes = ["agents.list", "agents.get", "loop_views.actuations"] as const;

/** For which agents a model switch that makes calls worse stays. */
export function Breaker() {
  const { can } = useRole();
  const { mode } = useScope();
  const query = useOperation("agents.list", { breaker_enabled: false, limit: SHOWN }, { isLive: false });
  return (
    <Card title="Undo bad switches automatically" note={`Agents with ${mode} traffic`}>
      <p className="settings-note">
        A model switch that makes errors, latency or outcomes significantly worse within 24 hours is undone.
        This is on for every agent that is not listed here.
      </p>
      <Loaded query={query}>
        {({ agents, total }) =>
          total === 0 ? (
            <p className="muted">On for every agent.</p>
          ) : (
            <ul className="settings-breaker">
              {agents.map(agent => (
                <OffRow key={agent.id} agent={agent} />
              ))}
              {total > agents.length && (
                <li className="muted">and {plural(total - agents.length, "more agent")}</li>
              )}
            </ul>
          )
        }
      </Loaded>
      {can("agents.update") && <TurnOff />}
    </Card>
  );
}

function OffRow({ agent }: { readonly agent: Agent }) {
  const { can } = useRole();
  const update = useChange("agents.update", {
    refreshes,
    done: "Turned on; a switch that makes calls worse is undone",
  });
  return (
    <li className="row-line" data-breaker-off={agent.id}>
      <Link to="/agents/$agentId" params={{ agentId: agent.id }}>
        <Name name={agent.name} maxLength={60} />
      </Link>
      {can("agents.update") && (
        <Button
          isBusy={update.isPending}
          onClick={() => update.mutate({ id: agent.id, breaker_enabled: true })}
        >
          Turn on
        </Button>
      )}
    </li>
  );
}

function TurnOff() {
  const [agentId, setAgentId] = useState("");
  const update = useFormChange("agents.update", {
    refreshes,
    done: "Turned off; a switch stays until somebody undoes it",
    onDone: () => setAgentId(""),
  });
  return (
    <Form
      className="settings-form"
      changes={[update]}
      onSubmit={() => {
        update.mutate({ id: agentId, breaker_enabled: false });
      }}
    >
      <AgentField
        label="Turn it off for"
        help="Its switches then stay until somebody undoes them."
        value={agentId}
        onChange={setAgentId}
      />
      <Button type="submit" isBusy={update.isPending} disabled={agentId === ""}>
        Turn off
      </Button>
    </Form>
  );
}
