import { tierTitles } from "@tollgate/core/limits/tiers";
import { useRole } from "../../data/session.tsx";
import { useOperation } from "../../data/use-operation.ts";
import { useView } from "../../data/view.tsx";
import { count, plural } from "../../format/counts.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { AgentLink } from "./agent-link.tsx";
import { centsInDollars } from "./saving-words.ts";
import { SuggestionRow } from "./suggestion-row.tsx";
import { useAgentsInExperiment } from "./use-agents-in-experiment.ts";

/** Suggestions for cheaper calls: each is applied here, tested first, or verified. */
export function Suggestions() {
  const { filters } = useView();
  const { missingTier } = useRole();
  const tier = missingTier("suggestions.list");
  const query = useOperation(
    "suggestions.list",
    filters.agent === undefined ? {} : { agent_id: filters.agent },
    { enabled: tier === null, isLive: false },
  );
  const tested = useAgentsInExperiment({ limit: 200 }, { enabled: tier === null });
  if (tier !== null) {
    return (
      <Card title="Suggestions">
        <Empty title={`Suggestions are included from the ${tierTitles[tier]} tier`} />
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
              From the calls since <Moment at={query.data.period.from} />, as of{" "}
              <Moment at={query.data.computed_at} />; {plural(query.data.agents_examined, "agent")} examined
              {query.data.agents_left_out > 0 && `, ${count(query.data.agents_left_out)} left out`}
            </>
          )
        }
        actions={
          <Button isBusy={query.isFetching} onClick={() => void query.refetch()}>
            Check again
          </Button>
        }
      >
        <Loaded query={query}>
          {data => (
            <>
              <dl className="stats savings-figures">
                <div className="stat">
                  <dt className="muted">Total per month</dt>
                  <dd className="stat-value figure" data-stat="suggested">
                    {centsInDollars(data.total_monthly_savings_cents)}
                  </dd>
                  <dd className="stat-note muted">Overlapping suggestions count once, at the best one</dd>
                </div>
              </dl>
              {data.suggestions.length === 0 ? (
                <Empty title="No suggestions">
                  {data.insufficient_data_count > 0 &&
                    `Not enough data about ${plural(data.insufficient_data_count, "agent")}.`}
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
                  <summary>Not enough data about {plural(data.insufficient_data_count, "agent")}</summary>
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
