import { Link } from "@tanstack/react-router";
import { tierTitles } from "@tollgate/core/limits/tiers";
import { isOptimizationType } from "@tollgate/core/suggestions/suggestion-types";
import { useState } from "react";
import { useRole } from "../../data/session.tsx";
import { type Output, useChange, useOperation } from "../../data/use-operation.ts";
import { useView } from "../../data/view.tsx";
import { count, percent, plural } from "../../format/counts.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { Tag } from "../../parts/tag.tsx";
import { ExperimentForm } from "../agents/experiment-form.tsx";
import { AgentLink } from "./agent-link.tsx";
import { centsInDollars, inWords, savingReads } from "./saving-words.ts";
import { VerificationForm } from "./verification-form.tsx";

type Suggestion = Output<"suggestions.list">["suggestions"][number];

/** What would make calls cheaper: applied in place, tested first, or verified. */
export function Suggestions() {
  const { filters } = useView();
  const { missingTier } = useRole();
  const tier = missingTier("suggestions.list");
  const query = useOperation(
    "suggestions.list",
    filters.agent === undefined ? {} : { agent_id: filters.agent },
    { enabled: tier === null, isLive: false },
  );
  const experiments = useOperation("experiments.list", { limit: 200 }, { enabled: tier === null });
  const tested = new Set(
    experiments.data?.experiments
      .filter(({ status }) => status === "running" || status === "paused")
      .map(({ agent_id }) => agent_id),
  );
  if (tier !== null) {
    return (
      <Card title="Suggestions">
        <Empty title={`Suggestions are part of the tier ${tierTitles[tier]}`} />
      </Card>
    );
  }
  return (
    <div className="savings">
      <Card
        title="Suggestions"
        note={
          query.data && (
            <>
              By the calls since <Moment at={query.data.period.from} />, as of{" "}
              <Moment at={query.data.computed_at} />; {plural(query.data.agents_examined, "agent")} examined
              {query.data.agents_left_out > 0 && `, ${count(query.data.agents_left_out)} left out`}
            </>
          )
        }
        actions={
          <Button isBusy={query.isFetching} onClick={() => void query.refetch()}>
            Look again
          </Button>
        }
      >
        <Loaded query={query}>
          {data => (
            <>
              <dl className="stats savings-figures">
                <div className="stat">
                  <dt className="muted">All together, a month</dt>
                  <dd className="stat-value figure" data-stat="suggested">
                    {centsInDollars(data.total_monthly_savings_cents)}
                  </dd>
                  <dd className="stat-note muted">
                    Of several that save the same money only the best counts
                  </dd>
                </div>
              </dl>
              {data.suggestions.length === 0 ? (
                <Empty title="No suggestions">
                  {data.insufficient_data_count > 0 &&
                    `Too little is known about ${plural(data.insufficient_data_count, "agent")}.`}
                </Empty>
              ) : (
                <ul className="saving-rows">
                  {data.suggestions.map(suggestion => (
                    <SuggestionRow
                      key={`${suggestion.agent_id} ${suggestion.type} ${suggestion.title}`}
                      suggestion={suggestion}
                      isInExperiment={suggestion.agent_id !== null && tested.has(suggestion.agent_id)}
                    />
                  ))}
                </ul>
              )}
              {data.insufficient_data.length > 0 && (
                <details className="savings-more">
                  <summary>Too little known about {plural(data.insufficient_data_count, "agent")}</summary>
                  <ul>
                    {data.insufficient_data.map(({ agent_id, reason }) => (
                      <li key={agent_id}>
                        <AgentLink id={agent_id} />: <span className="muted">{reason}</span>
                      </li>
                    ))}
                  </ul>
                </details>
              )}
            </>
          )}
        </Loaded>
      </Card>
    </div>
  );
}

interface SuggestionRowProps {
  readonly suggestion: Suggestion;
  /** The agent has one that runs or is paused. */
  readonly isInExperiment: boolean;
}

function SuggestionRow({ suggestion, isInExperiment }: SuggestionRowProps) {
  const { can } = useRole();
  const [open, setOpen] = useState<"test" | "verify" | null>(null);
  const apply = useChange("agents.optimizations.apply", {
    refreshes: savingReads,
    done: ({ message }) => message,
  });
  const { agent_id: agentId, type, one_click } = suggestion;
  const models = switchOf(suggestion);
  const { observed_days: observedDays } = suggestion.evidence;
  // While an experiment compares two models, the gateway takes no third one.
  const isTested = models !== null && isInExperiment;
  return (
    <li data-suggestion={type}>
      <div>
        <p>
          <strong>{suggestion.title}</strong>{" "}
          <Tag kind="good" title="In 30 days at this rate">
            {suggestion.is_revenue ? "+" : "saves "}
            {centsInDollars(suggestion.impact_monthly_cents)} a month
          </Tag>
        </p>
        <p>{suggestion.description}</p>
        <p className="muted">
          {suggestion.savings_pct !== null &&
            `${percent(suggestion.savings_pct / 100)} of what the agent costs; `}
          confidence {percent(suggestion.confidence)}
          {typeof observedDays === "number" &&
            `; a month at the rate of ${plural(observedDays, "observed day")}`}
          {suggestion.caveat !== null && `. ${suggestion.caveat}`}
        </p>
        <details className="savings-more">
          <summary>The numbers behind it</summary>
          <Evidence evidence={suggestion.evidence} />
        </details>
      </div>
      <div className="card-actions">
        {agentId !== null && models !== null && can("verify.requests.create") && (
          <Button onClick={() => setOpen("verify")}>Verify</Button>
        )}
        {isTested && <Link to="/savings/experiments">In an experiment</Link>}
        {agentId !== null && models !== null && !isTested && can("experiments.create") && (
          <Button onClick={() => setOpen("test")}>Test first</Button>
        )}
        {agentId !== null &&
          one_click &&
          !isTested &&
          isOptimizationType(type) &&
          can("agents.optimizations.apply") && (
            <Button
              kind="primary"
              isBusy={apply.isPending}
              onClick={() => apply.mutate({ id: agentId, optimization_type: type })}
            >
              Apply
            </Button>
          )}
      </div>
      {open === "test" && agentId !== null && models !== null && (
        <ExperimentForm agentId={agentId} treatmentModel={models.to} onClose={() => setOpen(null)} />
      )}
      {open === "verify" && agentId !== null && models !== null && (
        <VerificationForm
          agentId={agentId}
          prodModel={models.from}
          candidateModel={models.to}
          onClose={() => setOpen(null)}
        />
      )}
    </li>
  );
}

/** The models of a suggested switch; null: it is none. */
function switchOf({ type, evidence }: Suggestion): { readonly from: string; readonly to: string } | null {
  const { current_model: from, recommended_model: to } = evidence;
  return type === "model_switch" && typeof from === "string" && typeof to === "string" ? { from, to } : null;
}

/** The numbers that something follows from, units in their names. */
export function Evidence({ evidence }: { readonly evidence: Readonly<Record<string, unknown>> }) {
  return (
    <dl className="details">
      {Object.entries(evidence).map(([name, value]) => (
        <div key={name}>
          <dt className="muted">{inWords(name.replace(/_microcents$/, ""))}</dt>
          <dd className="figure">
            {typeof value === "number" && name.endsWith("_microcents")
              ? centsInDollars(value / 100_000)
              : typeof value === "number"
                ? value.toLocaleString("en-US")
                : typeof value === "string"
                  ? value
                  : value === null
                    ? "–"
                    : JSON.stringify(value)}
          </dd>
        </div>
      ))}
    </dl>
  );
}
