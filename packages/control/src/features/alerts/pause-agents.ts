import { type PausedAgent, withPausedAgents } from "@tollgate/core/alerts/with-paused-agents";
import type { ControlTransaction } from "@tollgate/storage/database/schema";
import type { Scope } from "@tollgate/storage/ledger/scope";
import type { Control } from "../../kernel/context.ts";
import { pauseAgent } from "../agents/pause.ts";
import type { AmendAlert } from "./raise-alert.ts";

export type { PausedAgent };

/**
 * Blocks the agents' calls at the gateway. An agent that is already paused keeps its `paused_at`. Resolves with what
 * the alert records about it.
 */
export async function pauseAgents(
  transaction: ControlTransaction,
  parts: Pick<Control, "newId" | "now">,
  scope: Scope,
  agents: readonly PausedAgent[],
  thresholdId: string,
): Promise<AmendAlert> {
  const cause = { authority: "threshold", actor: `threshold ${thresholdId}` } as const;
  for (const agent of agents) await pauseAgent(transaction, parts, scope, agent, cause);
  return draft => withPausedAgents(draft, agents);
}
