import { tierTitles } from "@tollgate/core/limits/tiers";
import { useRole } from "../../data/session.tsx";
import { useOperation } from "../../data/use-operation.ts";
import { Card } from "../../parts/card.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { SuggestionRow } from "../savings/suggestion-row.tsx";
import { useAgentsInExperiment } from "../savings/use-agents-in-experiment.ts";

/** Suggestions that would make the agent cheaper. */
export function AgentSuggestions({ agentId }: { readonly agentId: string }) {
  const { missingTier } = useRole();
  const tier = missingTier("suggestions.list");
  const query = useOperation("suggestions.list", { agent_id: agentId }, { enabled: tier === null });
  const tested = useAgentsInExperiment({ agent_id: agentId });
  return (
    <Card title="Suggestions" note="From the calls of the last 30 days">
      {tier !== null ? (
        <Empty title={`Suggestions are included from the ${tierTitles[tier]} tier`} />
      ) : (
        <Loaded query={query}>
          {({ suggestions, insufficient_data }) =>
            suggestions.length === 0 ? (
              <Empty title="No suggestions">{insufficient_data[0]?.reason}</Empty>
            ) : (
              <ul className="saving-rows">
                {suggestions.map(suggestion => (
                  <SuggestionRow
                    key={`${suggestion.type} ${suggestion.title}`}
                    suggestion={suggestion}
                    isInExperiment={tested.has(agentId)}
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
