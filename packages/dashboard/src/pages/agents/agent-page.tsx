import { Link, useParams } from "@tanstack/react-router";
import { useOperation } from "../../data/use-operation.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Name } from "../../parts/name.tsx";
import { Loaded } from "../../parts/states.tsx";
import { AgentActions } from "./agent-actions.tsx";
import { AgentBudgets } from "./agent-budgets.tsx";
import { AgentCharts } from "./agent-charts.tsx";
import { AgentExperiments } from "./agent-experiments.tsx";
import { AgentFigures } from "./agent-figures.tsx";
import { AgentHealth } from "./agent-health.tsx";
import { AgentModels } from "./agent-models.tsx";
import { AgentSuggestions } from "./agent-suggestions.tsx";
import { AgentTags } from "./agent-tags.tsx";
import { AgentTimeline } from "./agent-timeline.tsx";
import { AgentVersions } from "./agent-versions.tsx";

export function AgentPage() {
  const id = useParams({ from: "/agents/$agentId", select: ({ agentId }) => agentId });
  const query = useOperation("agents.get", { id });
  return (
    <>
      <p className="back">
        <Link to="/agents">
          <Icon name="left" size={12} /> Agents
        </Link>
      </p>
      <Loaded query={query}>
        {agent => (
          <div className="agent">
            <header className="subject-head wide">
              <div>
                <h2>
                  <Name name={agent.name} /> <AgentTags agent={agent} />
                </h2>
                <p className="muted">
                  Key{" "}
                  <code>
                    <Name name={agent.agent_key} maxLength={60} />
                  </code>
                  <CopyButton text={agent.agent_key} label="Copy the key" />
                  {agent.category !== null && (
                    <>
                      · <Name name={agent.category} maxLength={40} />{" "}
                    </>
                  )}
                  · last call <Moment at={agent.last_call_at} as="ago" /> · registered{" "}
                  <Moment at={agent.created_at} />
                </p>
              </div>
              <AgentActions agent={agent} />
            </header>
            <AgentFigures agentId={id} />
            <AgentCharts agentId={id} />
            <AgentModels agentId={id} />
            <AgentVersions agentId={id} />
            <AgentHealth agentId={id} isArchived={agent.status === "archived"} />
            <AgentBudgets agentId={id} />
            <AgentSuggestions agentId={id} />
            <AgentExperiments agentId={id} />
            <AgentTimeline agentId={id} />
          </div>
        )}
      </Loaded>
    </>
  );
}
