import { useNavigate, useSearch } from "@tanstack/react-router";
import { predictionStatuses, type predictionTypes } from "@tollgate/core/predictions/prediction";
import { useRole } from "../../data/session.tsx";
import { useAgentName } from "../../data/use-agent-name.ts";
import { type Output, useChange, useOperation } from "../../data/use-operation.ts";
import { useView } from "../../data/view.tsx";
import { percent, plural } from "../../format/counts.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { ChoiceField } from "../../parts/field.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Name } from "../../parts/name.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { Tag } from "../../parts/tag.tsx";
import { severityKinds } from "./alert-words.ts";
import { type PredictionState, readPredictionState } from "./prediction-state.ts";

type Prediction = Output<"predictions.list">["predictions"][number];

const statusTitles: Readonly<Record<PredictionState, string>> = {
  active: "Active",
  acknowledged: "Acknowledged",
  resolved: "Resolved",
};

const predictionTitles: Readonly<Record<(typeof predictionTypes)[number], string>> = {
  error_rate_breach: "Error rate",
  latency_degradation: "Latency",
  cost_overrun: "Cost",
  budget_exhaustion: "Budget",
  rate_limit_risk: "Rate limit",
};

/** Predicted problems, and predictions that lack data. */
export function Predictions() {
  const { filters } = useView();
  const { state: status = "active" } = useSearch({ strict: false, select: readPredictionState });
  const navigate = useNavigate();
  const query = useOperation("predictions.list", {
    status,
    limit: 200,
    ...(filters.agent === undefined ? {} : { agent_id: filters.agent }),
  });
  return (
    <div className="alerts-stack">
      <Card
        title="Predictions"
        note={
          query.data?.computed_at != null ? (
            <>
              As of <Moment at={query.data.computed_at} />; computed every five minutes
            </>
          ) : (
            "Computed every five minutes"
          )
        }
        actions={
          <ChoiceField
            isLabelHidden
            label="Show"
            value={status}
            options={predictionStatuses.map(value => ({ value, label: statusTitles[value] }))}
            onChange={chosen => {
              const { state } = readPredictionState({ state: chosen });
              void navigate({
                to: "/alerts/predictions",
                search: before => ({ ...before, show: undefined, state }),
                replace: true,
              });
            }}
          />
        }
      >
        <Loaded query={query}>
          {({ predictions, computed_at }) =>
            predictions.length === 0 ? (
              <Empty
                title={
                  computed_at === null
                    ? "Not computed yet: the next run starts within five minutes"
                    : status === "active"
                      ? "No predicted problems"
                      : "No predictions"
                }
              />
            ) : (
              <ul className="predictions">
                {predictions.map(prediction => (
                  <PredictionItem key={prediction.id} prediction={prediction} />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Card>
      {query.data?.computed_at !== null && (
        <Card title="Not enough data" note="What cannot be predicted yet">
          <Loaded query={query}>
            {({ insufficient_data }) =>
              insufficient_data.length === 0 ? (
                <p className="muted">Everything has enough data.</p>
              ) : (
                <ul className="insufficient">
                  {insufficient_data.map(({ agent_id, prediction_type, reason }, index) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: an agent may have several of a type.
                    <li key={index}>
                      <Tag>{predictionTitles[prediction_type]}</Tag> <Subject agentId={agent_id} />
                      <span className="muted">: {reason}</span>
                    </li>
                  ))}
                </ul>
              )
            }
          </Loaded>
        </Card>
      )}
    </div>
  );
}

function Subject({ agentId }: { readonly agentId: string | null }) {
  const name = useAgentName(agentId);
  if (agentId === null) return <>Organization</>;
  return name === null ? <>An agent</> : <Name name={name} maxLength={40} />;
}

function PredictionItem({ prediction }: { readonly prediction: Prediction }) {
  const { can } = useRole();
  const acknowledge = useChange("predictions.acknowledge", {
    refreshes: ["predictions.list"],
    done: "Acknowledged",
  });
  const { evidence } = prediction;
  const interval = evidence.breach_interval;
  return (
    <li className="prediction" data-prediction={prediction.prediction_type}>
      <p className="prediction-head">
        <Tag kind={severityKinds[prediction.severity]}>{prediction.severity}</Tag>
        <strong>{predictionTitles[prediction.prediction_type]}</strong>
        <Subject agentId={prediction.agent_id} />
        <span className="figure muted">{percent(prediction.confidence)} confidence</span>
      </p>
      <p>{prediction.message}</p>
      <p className="muted">
        {prediction.predicted_breach_at !== null && (
          <>
            Expected <Moment at={prediction.predicted_breach_at} />
            {interval !== null && (
              <>
                {" "}
                (95%: from <Moment at={interval.earliest} />
                {interval.latest === null ? (
                  ", perhaps never"
                ) : (
                  <>
                    {" "}
                    to <Moment at={interval.latest} />
                  </>
                )}
                )
              </>
            )}
            .{" "}
          </>
        )}
        Based on {plural(evidence.n, evidence.unit)};{" "}
        {evidence.tests.map(({ name, p }) => `${name.replaceAll("_", " ")}: p = ${p}`).join(", ")}; p ={" "}
        {evidence.adjusted_p} after correcting for {plural(evidence.tests_made, "test")}.
      </p>
      {prediction.recommended_actions.length > 0 && (
        <ul className="prediction-advice">
          {prediction.recommended_actions.map(({ action, description, impact }) => (
            <li key={action}>
              {description} <span className="muted">({impact} impact)</span>
            </li>
          ))}
        </ul>
      )}
      {prediction.status === "active" && can("predictions.acknowledge") && (
        <Button
          icon="check"
          isBusy={acknowledge.isPending}
          onClick={() => acknowledge.mutate({ prediction_ids: [prediction.id] })}
        >
          Acknowledge
        </Button>
      )}
    </li>
  );
}
