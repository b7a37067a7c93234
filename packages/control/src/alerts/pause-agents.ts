import { type PausedAgent, withPausedAgents } from "@tollgate/core/alerts/with-paused-agents";
import type { ControlTransaction } from "@tollgate/storage/database/schema";
import type { Scope } from "@tollgate/storage/read-model/queries";
import { writeAgentSettings } from "../agents/settings.ts";
import type { AmendAlert } from "./raise-alert.ts";

export type { PausedAgent };

/**
 * Blocks the agents' calls at the gateway. An agent that is already paused keeps its `paused_at`. Resolves with what
 * the alert records about it.
 */
export async function pauseAgents(
  transaction: ControlTransaction,
  scope: Scope,
  agents: readonly PausedAgent[],
  now: number,
): Promise<AmendAlert> {
  for (const { id, agentKey } of agents) {
    await writeAgentSettings(transaction, scope, { id, agent_key: agentKey, first_seen_at: 0 }, now, known =>
      known?.paused_at == null ? { paused_at: now } : {},
    );
  }
  return draft => withPausedAgents(draft, agents);
}
