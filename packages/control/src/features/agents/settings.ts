import { listOfTexts } from "@tollgate/storage/database/list-of";
import type { ControlTransaction, StoredRow } from "@tollgate/storage/database/schema";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { Scope } from "@tollgate/storage/ledger/scope";
import type { AgentRecord } from "@tollgate/storage/read-model/queries/agent-queries";
import type { Context } from "../../kernel/context.ts";

export type AgentSettings = StoredRow<"agent_settings">;

export async function agentSettingsOf(
  { db, engine, scope }: Pick<Context, "db" | "engine" | "scope">,
  agentIds: readonly string[],
): Promise<Map<string, AgentSettings>> {
  const rows = await db
    .selectFrom("agent_settings")
    .selectAll()
    .where(inScope(scope))
    .where("agent_id", "in", listOfTexts(engine, agentIds))
    .execute();
  return new Map(rows.map(row => [row.agent_id, row]));
}

export async function agentSettings(
  { db, scope }: Pick<Context, "db" | "scope">,
  agentId: string,
): Promise<AgentSettings | undefined> {
  return await db
    .selectFrom("agent_settings")
    .selectAll()
    .where(inScope(scope))
    .where("agent_id", "=", agentId)
    .executeTakeFirst();
}

export type AgentChange = Partial<
  Pick<AgentSettings, "name" | "metadata" | "archived_at" | "paused_at" | "breaker_off">
>;

/** Inserts or updates an agent's settings. `updated_at` always advances. */
export async function changeAgentSettings(
  context: Context,
  agent: AgentRecord,
  change: Omit<AgentChange, "paused_at">,
): Promise<AgentSettings> {
  return await context.db
    .transaction()
    .execute(transaction =>
      writeAgentSettings(transaction, context.scope, agent, context.now(), () => change),
    );
}

/** The same within a transaction; the change may depend on the previous settings. */
export async function writeAgentSettings(
  transaction: ControlTransaction,
  scope: Scope,
  agent: Pick<AgentRecord, "id" | "agent_key" | "first_seen_at">,
  now: number,
  changeOf: (known: AgentSettings | undefined) => AgentChange,
): Promise<AgentSettings> {
  const known = await agentSettings({ db: transaction, scope }, agent.id);
  const changed: AgentSettings = {
    ...(known ?? {
      agent_id: agent.id,
      org_id: scope.orgId,
      mode: scope.mode,
      agent_key: agent.agent_key,
      name: null,
      metadata: "{}",
      archived_at: null,
      paused_at: null,
      breaker_off: 0,
    }),
    ...changeOf(known),
    updated_at: Math.max(now, (known?.updated_at ?? agent.first_seen_at) + 1),
  };
  const { agent_id, org_id, mode, agent_key, ...said } = changed;
  await transaction
    .insertInto("agent_settings")
    .values(changed)
    .onConflict(conflict => conflict.column("agent_id").doUpdateSet(said))
    .execute();
  return changed;
}
