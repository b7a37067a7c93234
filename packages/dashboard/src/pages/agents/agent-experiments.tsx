import { useState } from "react";
import { useRole } from "../../data/session.tsx";
import { type Output, useChange, useOperation } from "../../data/use-operation.ts";
import { plural, signedPercent } from "../../format/counts.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Name } from "../../parts/name.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { Tag } from "../../parts/tag.tsx";
import { ExperimentForm, metricTitles } from "./experiment-form.tsx";

type Experiment = Output<"experiments.list">["experiments"][number];

const kinds = { running: "accent", paused: "warning", completed: "good", cancelled: "plain" } as const;

export function AgentExperiments({ agentId }: { readonly agentId: string }) {
  const { can } = useRole();
  const query = useOperation("experiments.list", { agent_id: agentId });
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Card
      title="Experiments"
      actions={
        can("experiments.create") && <Button onClick={() => setIsOpen(true)}>Start an experiment</Button>
      }
    >
      <Loaded query={query}>
        {({ experiments }) =>
          experiments.length === 0 ? (
            <Empty title="No experiments yet">
              An experiment sends a share of the calls to another model, and compares.
            </Empty>
          ) : (
            <ul className="rows">
              {experiments.map(experiment => (
                <ExperimentRow key={experiment.id} experiment={experiment} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {isOpen && <ExperimentForm agentId={agentId} onClose={() => setIsOpen(false)} />}
    </Card>
  );
}

function ExperimentRow({ experiment }: { readonly experiment: Experiment }) {
  const { can } = useRole();
  const refreshes = ["experiments.list", "agents.optimizations.list"] as const;
  const pause = useChange("experiments.pause", { refreshes, done: "Experiment paused" });
  const resume = useChange("experiments.resume", { refreshes, done: "Experiment resumed" });
  const stop = useChange("experiments.stop", { refreshes, done: ({ message }) => message });
  const { id, status, results, winner } = experiment;
  const isOpen = status === "running" || status === "paused";
  const isBusy = pause.isPending || resume.isPending || stop.isPending;
  return (
    <li data-experiment={id}>
      <div className="row-line">
        <p>
          <b>
            <Name name={experiment.name} maxLength={60} />
          </b>{" "}
          <Tag kind={kinds[status]}>{status}</Tag> {winner !== null && <Tag kind="good">{winner} wins</Tag>}{" "}
          {experiment.promoted && <Tag kind="good">promoted</Tag>}
        </p>
        {isOpen && can("experiments.stop") && (
          <div className="card-actions">
            {status === "running" ? (
              <Button kind="quiet" isBusy={isBusy} onClick={() => pause.mutate({ id })}>
                Pause
              </Button>
            ) : (
              <Button kind="quiet" isBusy={isBusy} onClick={() => resume.mutate({ id })}>
                Resume
              </Button>
            )}
            <Button isBusy={isBusy} onClick={() => stop.mutate({ id, promote_winner: false })}>
              Stop
            </Button>
            {winner === "treatment" && (
              <Button
                kind="primary"
                isBusy={isBusy}
                onClick={() => stop.mutate({ id, promote_winner: true })}
              >
                Promote
              </Button>
            )}
          </div>
        )}
      </div>
      <p className="breakable">
        {experiment.control_model === null ? "Its own model" : <Name name={experiment.control_model} />}{" "}
        against <Name name={experiment.treatment_model} /> with {experiment.traffic_pct}% of the calls, by{" "}
        {metricTitles[experiment.primary_metric].toLowerCase()}
        {results.difference_pct !== null && `: ${signedPercent(results.difference_pct / 100)}`}
      </p>
      <p className="muted breakable">
        {plural(experiment.control_samples, "call")} and {plural(experiment.treatment_samples, "call")}.{" "}
        {isOpen ? "Ends " : "Ended "}
        <Moment at={experiment.ended_at ?? experiment.ends_at} />. {results.message}
      </p>
    </li>
  );
}
