import type { LeakScan, ScannedAgent } from "@tollgate/core/leaks/leak-check";
import { type HistoryWindow, historyWindow, wholeDays } from "@tollgate/core/limits/history-window";
import { DAY_MS } from "@tollgate/core/time/durations";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { Window } from "@tollgate/storage/read-model/window";
import type { ScopedControl } from "../../kernel/context.ts";
import { readMetadata } from "../../kernel/read-metadata.ts";
import { examinedAgents } from "../agents/examined-agents.ts";
import { agentSettingsOf } from "../agents/settings.ts";

const NOTHING_IN_FORCE: ScannedAgent["appliedOptimizations"] = { switchedTo: null, hasPromptCaching: false };

/** The input of the leak checks, for the fleet or one agent. */
export async function readScan(
  context: ScopedControl,
  agentId?: string,
): Promise<{ readonly scan: LeakScan; readonly period: HistoryWindow; readonly leftOut: number }> {
  const now = context.now();
  const period = wholeDays(historyWindow({}, context.organization.tier, now));
  const [{ agents, leftOut }, budgets] = await Promise.all([
    readAgents(context, period, agentId),
    // Budgets of keys and customers cover no agent.
    context.db
      .selectFrom("budgets")
      .select(["agent_id", "status"])
      .where(inScope(context.scope))
      .where("key_id", "is", null)
      .where("customer_id", "is", null)
      .execute(),
  ]);
  return {
    scan: {
      now,
      from: period.from,
      agents,
      isSingleAgent: agentId !== undefined,
      budgets: budgets.map(row => ({ agentId: row.agent_id, isPaused: row.status === "paused" })),
      catalogue: context.catalogue,
    },
    period,
    leftOut,
  };
}

/** Archived agents only on request. */
async function readAgents(
  context: ScopedControl,
  period: Window,
  agentId: string | undefined,
): Promise<{ readonly agents: readonly ScannedAgent[]; readonly leftOut: number }> {
  const now = context.now();
  const lastDayWindow = { from: now - DAY_MS, to: now + 1 };
  const { records, leftOut } = await examinedAgents(context, period, agentId);
  const ids = records.map(({ id }) => id);
  const [settings, profiles, lastDay, optimizations] = await Promise.all([
    agentSettingsOf(context, ids),
    context.profile.agentModels(context.scope, period, ids),
    context.readModel.agentsByCost(context.scope, lastDayWindow, { limit: ids.length, agentIds: ids }),
    readOptimizations(context),
  ]);
  const uses = Map.groupBy(profiles, profile => profile.agent_id);
  const lastDays = new Map(lastDay.map(totals => [totals.agent_id, totals]));
  const agents = records.flatMap(record => {
    const agentSettings = settings.get(record.id);
    const isArchived = agentSettings !== undefined && agentSettings.archived_at !== null;
    if (agentId === undefined && isArchived) return [];
    const totals = lastDays.get(record.id);
    return {
      id: record.id,
      name: agentSettings?.name ?? record.agent_key,
      firstSeenAt: record.first_seen_at,
      lastCallAt: record.last_call_at,
      isInactive: isArchived || (agentSettings !== undefined && agentSettings.paused_at !== null),
      lastDay: {
        calls: totals?.calls ?? 0,
        errors: totals?.errors ?? 0,
        costMicrocents: totals?.cost_microcents ?? 0,
      },
      appliedOptimizations: optimizations.get(record.id) ?? NOTHING_IN_FORCE,
      uses: uses.get(record.id) ?? [],
    };
  });
  return { agents, leftOut };
}

async function readOptimizations({
  db,
  scope,
}: ScopedControl): Promise<Map<string, ScannedAgent["appliedOptimizations"]>> {
  const rows = await db
    .selectFrom("optimizations")
    .select(["agent_id", "optimization_type", "payload"])
    .where(inScope(scope))
    .where("undone_at", "is", null)
    .execute();
  const found = new Map<string, ScannedAgent["appliedOptimizations"]>();
  for (const row of rows) {
    const known = found.get(row.agent_id) ?? NOTHING_IN_FORCE;
    const { model } = readMetadata(row.payload);
    if (row.optimization_type === "prompt_caching")
      found.set(row.agent_id, { ...known, hasPromptCaching: true });
    else if (row.optimization_type === "model_switch" && typeof model === "string") {
      found.set(row.agent_id, { ...known, switchedTo: model });
    }
  }
  return found;
}
