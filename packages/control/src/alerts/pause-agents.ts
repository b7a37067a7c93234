import type { ControlSchema } from "@tollgate/storage/control/schema";
import type { Scope } from "@tollgate/storage/read-model/queries";
import type { Transaction } from "kysely";
import { writeAgentSettings } from "../operations/agent-settings.ts";

export interface PausedAgent {
  readonly id: string;
  readonly agentKey: string;
}

/** Stops the agents' calls at the gateway. One that is stopped already keeps the time since when. */
export async function pauseAgents(
  transaction: Transaction<ControlSchema>,
  scope: Scope,
  agents: readonly PausedAgent[],
  now: number,
): Promise<void> {
  for (const { id, agentKey } of agents) {
    await writeAgentSettings(transaction, scope, { id, agent_key: agentKey, first_seen_at: 0 }, now, known =>
      known?.paused_at == null ? { paused_at: now } : {},
    );
  }
}
