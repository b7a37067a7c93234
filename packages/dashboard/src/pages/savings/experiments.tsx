import { type ReactNode, useState } from "react";
import { useRole } from "../../data/session.tsx";
import { type Output, useOperation } from "../../data/use-operation.ts";
import { useView } from "../../data/view.tsx";
import { count, percent, signedPercent } from "../../format/counts.ts";
import { dollars } from "../../format/money.ts";
import { duration } from "../../format/time.ts";
import { UNKNOWN } from "../../format/unknown.ts";
import { AgentField } from "../../parts/agent-field.tsx";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Dialog, DialogActions } from "../../parts/dialog.tsx";
import { Moment } from "../../parts/moment.tsx";
import { CostSum } from "../../parts/money.tsx";
import { Name } from "../../parts/name.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { AgentLink } from "./agent-link.tsx";
import { Interval } from "./estimate.tsx";
import { ExperimentForm, metricTitles } from "./experiment-form.tsx";
import { ExperimentActions, ExperimentTags, FewerSuccesses } from "./experiment-state.tsx";
import { inWords } from "./saving-words.ts";

type Experiment = Output<"experiments.list">["experiments"][number];
type ArmResults = Experiment["results"]["control"];
type Estimated = ArmResults["error_rate"];

/** Part of an agent's calls to another model, and what that shows. */
export function Experiments() {
  const { can } = useRole();
  const { filters } = useView();
  const [isStarting, setIsStarting] = useState(false);
  const query = useOperation("experiments.list", {
    limit: 200,
    ...(filters.agent === undefined ? {} : { agent_id: filters.agent }),
  });
  return (
    <div className="savings">
      <Card
        title="Experiments"
        note="Each session stays with one model. The confidence interval stays valid however often you check."
        actions={
          can("experiments.create") && (
            <Button icon="plus" kind="primary" onClick={() => setIsStarting(true)}>
              Start an experiment
            </Button>
          )
        }
      >
        <Loaded query={query}>
          {({ experiments }) =>
            experiments.length === 0 ? (
              <Empty title="No experiments yet">
                An experiment sends a share of an agent’s calls to another model, and compares.
              </Empty>
            ) : (
              <ul className="experiments">
                {experiments.map(experiment => (
                  <ExperimentItem key={experiment.id} experiment={experiment} />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Card>
      {isStarting && <StartExperiment agentId={filters.agent} onClose={() => setIsStarting(false)} />}
    </div>
  );
}

interface StartExperimentProps {
  readonly agentId: string | undefined;
  readonly onClose: () => void;
}

/** Which agent, then how. */
function StartExperiment({ agentId, onClose }: StartExperimentProps) {
  const [chosen, setChosen] = useState(agentId ?? "");
  const [isChosen, setIsChosen] = useState(agentId !== undefined);
  if (isChosen) return <ExperimentForm agentId={chosen} onClose={onClose} />;
  return (
    <Dialog title="Start an experiment" isOpen onClose={onClose}>
      <form
        onSubmit={event => {
          event.preventDefault();
          if (chosen !== "") setIsChosen(true);
        }}
      >
        <AgentField label="Agent" value={chosen} onChange={setChosen} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={chosen === ""}>
            Next
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

const units: Readonly<Record<Experiment["results"]["unit"], (value: number) => string>> = {
  microcents: value => dollars(Math.round(value)),
  ms: value => (value === 0 ? "0 ms" : value < 0 ? `-${duration(-value)}` : duration(value)),
  share: percent,
};

function ExperimentItem({ experiment }: { readonly experiment: Experiment }) {
  const { results } = experiment;
  const { difference, test, error_guard: guard } = results;
  const format = units[results.unit];
  const reach = Math.max(
    ...[difference?.value, difference?.low, difference?.high].map(value => Math.abs(value ?? 0)),
  );
  return (
    <li data-experiment={experiment.id}>
      <div className="experiment-head">
        <div>
          <p>
            <strong>
              <Name name={experiment.name} maxLength={60} />
            </strong>{" "}
            <ExperimentTags experiment={experiment} />
          </p>
          <p className="muted">
            <AgentLink id={experiment.agent_id} />, {experiment.traffic_pct}% of its calls, by{" "}
            {metricTitles[experiment.primary_metric].toLowerCase()}. Began{" "}
            <Moment at={experiment.created_at} />, {experiment.ended_at === null ? "ends" : "ended"}{" "}
            <Moment at={experiment.ended_at ?? experiment.ends_at} />
            {experiment.auto_promote && "; a winner is promoted automatically"}.
          </p>
        </div>
        <ExperimentActions experiment={experiment} />
      </div>
      <p>{inWords(results.message)}.</p>
      {difference !== null && reach > 0 && (
        <Interval
          label={`Difference in ${metricTitles[experiment.primary_metric].toLowerCase()}`}
          value={difference.value}
          low={difference.low}
          high={difference.high}
          from={-reach * 1.15}
          to={reach * 1.15}
          format={format}
          note={
            <>
              New model minus own model: {format(difference.value)}
              {results.difference_pct !== null && ` (${signedPercent(results.difference_pct / 100)})`}
              {difference.low !== null && difference.high !== null
                ? `, with 95% confidence between ${format(difference.low)} and ${format(difference.high)}`
                : ", too few calls for an interval"}
              {test.p_value !== null &&
                `; p ${test.p_value < 0.0001 ? "< 0.0001" : `= ${test.p_value.toPrecision(2)}`}`}
              .
            </>
          }
        />
      )}
      <p className={guard.passes ? "muted" : "experiment-guard"}>{guard.message}.</p>
      <FewerSuccesses experiment={experiment} />
      <ArmTable experiment={experiment} />
    </li>
  );
}

function ArmTable({ experiment }: { readonly experiment: Experiment }) {
  const { control, treatment } = experiment.results;
  const rows: readonly (readonly [string, (arm: ArmResults) => ReactNode])[] = [
    ["Calls", arm => count(arm.calls)],
    ["Sessions", arm => count(arm.sessions)],
    ["Cost", arm => <CostSum microcents={arm.cost_microcents} unpricedCalls={arm.unpriced_calls} />],
    ["Cost per call", arm => estimated(arm.cost_per_call_microcents, units.microcents)],
    ["Failed calls", arm => estimated(arm.error_rate, percent)],
    ["Median duration", arm => estimated(arm.latency_p50_ms, duration)],
    ["95th percentile", arm => estimated(arm.latency_p95_ms, duration)],
    ["Successful outcomes", arm => estimated(arm.quality_score, percent)],
  ];
  return (
    <div className="arms-scroller" role="region" aria-label="Both models" tabIndex={0}>
      <table className="arms">
        <thead>
          <tr>
            <th scope="col">95% intervals, each for a single look</th>
            <th scope="col" className="number">
              {experiment.control_model === null ? (
                "Own model"
              ) : (
                <Name name={experiment.control_model} maxLength={32} />
              )}
            </th>
            <th scope="col" className="number">
              <Name name={experiment.treatment_model} maxLength={32} />
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([title, cell]) => (
            <tr key={title}>
              <th scope="row">{title}</th>
              <td className="number">{cell(control)}</td>
              <td className="number">{cell(treatment)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function estimated(estimate: Estimated, format: (value: number) => string) {
  if (estimate === null) return UNKNOWN;
  const { value, low, high } = estimate;
  return (
    <>
      {format(value)}
      {low !== null && high !== null && (
        <span className="muted">
          {" "}
          ({format(low)} to {format(high)})
        </span>
      )}
    </>
  );
}
