import { useState } from "react";
import { useRole } from "../../data/session.tsx";
import { type Output, useOperation } from "../../data/use-operation.ts";
import { plural, signedPercent } from "../../format/counts.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Name } from "../../parts/name.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { ExperimentForm, metricTitles } from "../savings/experiment-form.tsx";
import { ExperimentActions, ExperimentTags, FewerSuccesses } from "../savings/experiment-state.tsx";
import { inWords } from "../savings/saving-words.ts";

type Experiment = Output<"experiments.list">["experiments"][number];

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
  const { id, results } = experiment;
  const isOpen = experiment.ended_at === null;
  return (
    <li data-experiment={id}>
      <div className="row-line">
        <p>
          <b>
            <Name name={experiment.name} maxLength={60} />
          </b>{" "}
          <ExperimentTags experiment={experiment} />
        </p>
        <ExperimentActions experiment={experiment} />
      </div>
      <p className="breakable">
        {experiment.control_model === null ? "Its own model" : <Name name={experiment.control_model} />}{" "}
        against <Name name={experiment.treatment_model} /> with {experiment.traffic_pct}% of the calls, by{" "}
        {metricTitles[experiment.primary_metric].toLowerCase()}
        {results.difference_pct !== null && `: ${signedPercent(results.difference_pct / 100)}`}
      </p>
      <FewerSuccesses experiment={experiment} />
      <p className="muted breakable">
        {plural(experiment.control_samples, "call")} and {plural(experiment.treatment_samples, "call")}.{" "}
        {isOpen ? "Ends " : "Ended "}
        <Moment at={experiment.ended_at ?? experiment.ends_at} />. {inWords(results.message)}.
      </p>
    </li>
  );
}
