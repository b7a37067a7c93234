import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { leakOperations } from "@tollgate/core/contract/leaks";
import { type Finding, leakChecks } from "@tollgate/core/leaks/finding";
import type { ScannedAgent } from "@tollgate/core/leaks/leak-check";
import { leakHealthScore, scanLeaks } from "@tollgate/core/leaks/scan-leaks";
import { totalWaste } from "@tollgate/core/leaks/total-waste";
import { historyWindow, wholeDays } from "@tollgate/core/limits/history-window";
import { MICROCENTS_PER_CENT } from "@tollgate/core/money/money";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { Window } from "@tollgate/storage/read-model/queries";
import { examinedAgents } from "../agents/examined-agents.ts";
import { findAgent } from "../agents/find-agent.ts";
import { agentSettingsOf } from "../agents/settings.ts";
import type { Context } from "../kernel/context.ts";
import type { Handlers } from "../kernel/handler.ts";
import { readMetadata } from "../kernel/read-metadata.ts";
import { toPeriod } from "../kernel/to-period.ts";

const DAY_MS = 86_400_000;
const MOST_FINDINGS = 200;

const NOTHING_IN_FORCE: ScannedAgent["appliedOptimizations"] = { switchedTo: null, hasPromptCaching: false };

export const leakHandlers: Handlers<typeof leakOperations> = {
  /** Reads the agent profile, rollups and settings, but no events, so its speed does not depend on their number. */
  "cost_leak_scan.run": async (context, input) => {
    const now = context.now();
    if (input.agent_id !== undefined) await findAgent(context, input.agent_id);
    const period = wholeDays(historyWindow({}, context.organization.tier, now));
    const [{ agents, leftOut }, budgets] = await Promise.all([
      readAgents(context, period, input.agent_id),
      context.db.selectFrom("budgets").select(["agent_id", "status"]).where(inScope(context.scope)).execute(),
    ]);
    const scan = {
      now,
      from: period.from,
      agents,
      isSingleAgent: input.agent_id !== undefined,
      budgets: budgets.map(row => ({ agentId: row.agent_id, isPaused: row.status === "paused" })),
      catalogue: context.catalogue,
    };
    const all = scanLeaks(scan);
    const findings = input.include_low_severity ? all : all.filter(({ severity }) => severity !== "low");
    return {
      scan_timestamp: toIsoTime(now),
      period: toPeriod(period),
      checks_run: [...leakChecks],
      total_agents_scanned: agents.length,
      agents_left_out: leftOut,
      // Over all findings, listed or not: the page size changes no total and no score.
      total_leaks_found: all.length,
      total_estimated_waste_monthly_cents: totalWaste(scan, all) / MICROCENTS_PER_CENT,
      health_score: leakHealthScore(all),
      hidden_low_severity: all.length - findings.length,
      findings: findings.slice(0, MOST_FINDINGS).map(toFinding),
    };
  },
};

/** Archived agents only on request. */
async function readAgents(
  context: Context,
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
    context.readModel.dearestAgents(context.scope, lastDayWindow, { limit: ids.length, agentIds: ids }),
    readOptimizations(context),
  ]);
  const uses = Map.groupBy(profiles, profile => profile.agent_id);
  const lastDays = new Map(lastDay.map(totals => [totals.agent_id, totals]));
  const agents = records.flatMap(record => {
    const said = settings.get(record.id);
    const isArchived = said !== undefined && said.archived_at !== null;
    if (agentId === undefined && isArchived) return [];
    const totals = lastDays.get(record.id);
    return {
      id: record.id,
      name: said?.name ?? record.agent_key,
      firstSeenAt: record.first_seen_at,
      lastCallAt: record.last_call_at,
      isInactive: isArchived || (said !== undefined && said.paused_at !== null),
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
}: Context): Promise<Map<string, ScannedAgent["appliedOptimizations"]>> {
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

function toFinding(finding: Finding) {
  return {
    check: finding.check,
    severity: finding.severity,
    agent_id: finding.agentId,
    agent_name: finding.agentName,
    description: finding.description,
    evidence: finding.evidence,
    estimated_waste_monthly_cents: finding.wasteMonthly / MICROCENTS_PER_CENT,
    fix: finding.fix,
    auto_fixable: finding.isAutoFixable,
  };
}
