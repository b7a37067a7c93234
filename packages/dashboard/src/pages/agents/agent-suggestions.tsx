import { isOptimizationType } from "@tollgate/core/suggestions/suggestion-types";
import { useState } from "react";
import { useRole } from "../../data/session.tsx";
import { type Output, useChange, useOperation } from "../../data/use-operation.ts";
import { percent } from "../../format/counts.ts";
import { dollars } from "../../format/money.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { Tag } from "../../parts/tag.tsx";
import { ExperimentForm } from "./experiment-form.tsx";

type Suggestion = Output<"suggestions.list">["suggestions"][number];

const MICROCENTS_PER_CENT = 100_000;

/** What would make the agent cheaper: applied in place, or tested first. */
export function AgentSuggestions({ agentId }: { readonly agentId: string }) {
  const { missingTier } = useRole();
  const tier = missingTier("suggestions.list");
  const query = useOperation("suggestions.list", { agent_id: agentId }, { enabled: tier === null });
  return (
    <Card title="Suggestions" note="From the calls of the last 30 days">
      {tier !== null ? (
        <Empty title={`Suggestions are part of the tier ${tier}`} />
      ) : (
        <Loaded query={query}>
          {({ suggestions, insufficient_data }) =>
            suggestions.length === 0 ? (
              <Empty title="No suggestions">{insufficient_data[0]?.reason}</Empty>
            ) : (
              <ul className="rows">
                {suggestions.map(suggestion => (
                  <SuggestionRow
                    key={`${suggestion.type} ${suggestion.title}`}
                    agentId={agentId}
                    suggestion={suggestion}
                  />
                ))}
              </ul>
            )
          }
        </Loaded>
      )}
    </Card>
  );
}

interface SuggestionRowProps {
  readonly agentId: string;
  readonly suggestion: Suggestion;
}

function SuggestionRow({ agentId, suggestion }: SuggestionRowProps) {
  const { can } = useRole();
  const [isTested, setIsTested] = useState(false);
  const apply = useChange("agents.optimizations.apply", {
    refreshes: ["agents.optimizations.list", "suggestions.list"],
    done: ({ message }) => message,
  });
  const { type, title, description, caveat, one_click, is_revenue, savings_pct, confidence } = suggestion;
  const model = switchedTo(suggestion);
  return (
    <li data-suggestion={type}>
      <div className="row-line">
        <p>
          <b>{title}</b>{" "}
          <Tag kind="good" title="What it would change in 30 days at this rate">
            {is_revenue ? "+" : "saves "}
            {dollars(Math.round(suggestion.impact_monthly_cents * MICROCENTS_PER_CENT))} a month
          </Tag>
        </p>
        <div className="card-actions">
          {model !== null && can("experiments.create") && (
            <Button kind="quiet" onClick={() => setIsTested(true)}>
              Test first
            </Button>
          )}
          {one_click && isOptimizationType(type) && can("agents.optimizations.apply") && (
            <Button
              isBusy={apply.isPending}
              onClick={() => apply.mutate({ id: agentId, optimization_type: type })}
            >
              Apply
            </Button>
          )}
        </div>
      </div>
      <p className="breakable">{description}</p>
      <p className="muted breakable">
        {savings_pct !== null && `${percent(savings_pct / 100)} of what the agent costs, `}
        confidence {percent(confidence)}
        {caveat !== null && `. ${caveat}`}
      </p>
      {isTested && model !== null && (
        <ExperimentForm agentId={agentId} treatmentModel={model} onClose={() => setIsTested(false)} />
      )}
    </li>
  );
}

/** The model that a suggested switch leads to; null: it is no switch. */
function switchedTo({ type, implementation }: Suggestion): string | null {
  if (type !== "model_switch") return null;
  const payload = implementation?.payload.payload;
  const model = typeof payload === "object" && payload !== null && "model" in payload ? payload.model : null;
  return typeof model === "string" ? model : null;
}
