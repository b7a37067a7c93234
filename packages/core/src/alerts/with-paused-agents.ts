import type { AlertDraft } from "./alert-draft.ts";
import { plainName } from "./plain-name.ts";

export interface PausedAgent {
  readonly id: string;
  readonly agentKey: string;
}

const MAX_KEYS = 50;

/** An alert that paused agents names them and says how to resume them: no other message does. */
export function withPausedAgents(draft: AlertDraft, agents: readonly PausedAgent[]): AlertDraft {
  return {
    ...draft,
    message: [draft.message, ...sentencesOf(agents)].join(". "),
    metadata: {
      ...draft.metadata,
      paused_agents: agents.slice(0, MAX_KEYS).map(({ agentKey }) => agentKey),
      paused_agents_count: agents.length,
    },
  };
}

function sentencesOf(agents: readonly PausedAgent[]): string[] {
  const [first, ...others] = agents;
  if (first === undefined) return [];
  return others.length === 0
    ? [`The agent ${plainName(first.agentKey)} was paused`, `POST /api/agents/${first.id}/resume resumes it`]
    : [`${agents.length} agents were paused`, "POST /api/agents/:id/resume lets each of them call again"];
}
