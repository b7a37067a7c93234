import type { ControlTransaction } from "@tollgate/storage/database/schema";
import type { Scope } from "@tollgate/storage/ledger/scope";
import type { AgentRecord } from "@tollgate/storage/read-model/queries/agent-queries";
import type { Context, Control } from "../../kernel/context.ts";
import { type Cause, causeOf } from "../actuations/cause-of.ts";
import { markRolledBack, recordActuation } from "../actuations/record-actuation.ts";
import { type AgentSettings, agentSettings, writeAgentSettings } from "./settings.ts";

/** Makes the gateway refuse the agent's calls. One that is already paused keeps its `paused_at`. */
export async function pauseAgent(
  transaction: ControlTransaction,
  parts: Pick<Control, "newId" | "now">,
  scope: Scope,
  { id, agentKey }: { readonly id: string; readonly agentKey: string },
  cause: Cause,
): Promise<void> {
  const known = await agentSettings({ db: transaction, scope }, id);
  if (known !== undefined && known.paused_at !== null) return;
  const now = parts.now();
  await writeAgentSettings(transaction, scope, { id, agent_key: agentKey, first_seen_at: 0 }, now, () => ({
    paused_at: now,
  }));
  await recordActuation(transaction, parts, {
    scope,
    agent: { id, agentKey },
    type: "pause_agent",
    change: "pause",
    subjectId: id,
    cause,
    askedAt: now,
  });
}

export async function resumeAgent(context: Context, agent: AgentRecord): Promise<AgentSettings> {
  const { scope } = context;
  const cause = causeOf(context.actor);
  return await context.db.transaction().execute(async transaction => {
    const now = context.now();
    const settings = await writeAgentSettings(transaction, scope, agent, now, () => ({ paused_at: null }));
    await markRolledBack(transaction, {
      scope,
      type: "pause_agent",
      change: "pause",
      subjectId: agent.id,
      reason: "resumed",
      by: cause.actor,
      at: now,
    });
    await recordActuation(transaction, context, {
      scope,
      agent: { id: agent.id, agentKey: agent.agent_key },
      type: "pause_agent",
      change: "resume",
      subjectId: agent.id,
      cause,
      askedAt: now,
    });
    return settings;
  });
}
