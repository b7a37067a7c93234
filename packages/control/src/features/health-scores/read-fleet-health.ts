import { type AgentHealth, type HealthParts, healthParts } from "@tollgate/core/health-scores/health-parts";
import { type HealthScore, healthScore, isStale, MIN_CALLS } from "@tollgate/core/health-scores/health-score";
import { scanLeaks } from "@tollgate/core/leaks/scan-leaks";
import { wasteByAgent } from "@tollgate/core/leaks/waste-by-agent";
import { type HistoryWindow, historyWindow, wholeDays } from "@tollgate/core/limits/history-window";
import { DAY_MS } from "@tollgate/core/time/durations";
import { startOfDay } from "@tollgate/core/time/start-of-day";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { LatencySpread } from "@tollgate/storage/read-model/queries/agent-signal-queries";
import type { Context } from "../../kernel/context.ts";
import { readScan } from "../leaks/read-scan.ts";
import { readKeptPeriods } from "./read-kept-periods.ts";

const RECENT_DAYS = 7;

export interface ScoredAgent {
  readonly id: string;
  readonly name: string;
  readonly calls: number;
  readonly lastCallAt: number | null;
  readonly isStale: boolean;
  readonly parts: HealthParts;
  readonly health: HealthScore;
}

export interface FleetHealth {
  readonly window: HistoryWindow;
  /** Ordered by key, without archived ones. */
  readonly agents: readonly ScoredAgent[];
}

/** The fleet's last 30 days, or the tier's history if shorter. The number of queries does not depend on the fleet's size. */
export async function readFleetHealth(context: Context): Promise<FleetHealth> {
  const { db, scope, readModel } = context;
  const now = context.now();
  const window = wholeDays(historyWindow({}, context.organization.tier, now));
  const recentFrom = startOfDay(now) - (RECENT_DAYS - 1) * DAY_MS;
  const [records, outcomes, { scan }, periods, settings] = await Promise.all([
    readModel.agentHealth(scope, window, recentFrom),
    readModel.outcomesByAgent(scope, { ...window, to: now + 1 }),
    readScan(context),
    readKeptPeriods(context, window),
    db
      .selectFrom("agent_settings")
      .select(["agent_id", "name", "archived_at"])
      .where(inScope(scope))
      .execute(),
  ]);
  const waste = wasteByAgent(scan, scanLeaks(scan));
  const labels = new Map(outcomes.map(one => [one.agent_id, one]));
  const said = new Map(settings.map(row => [row.agent_id, row]));
  // A week compared with itself would always be steady.
  const hasLongerHistory = window.from < recentFrom;
  const agents = records.flatMap(record => {
    const { agent_id: id, last_call_at: lastCallAt } = record;
    const settled = said.get(id);
    if (settled !== undefined && settled.archived_at !== null) return [];
    const wasted = waste.get(id);
    const labelled = labels.get(id);
    const kept = periods.get(id);
    const known: AgentHealth = {
      calls: record.calls,
      failedCalls: record.errors,
      spendMicrocents: wasted?.costMonthly ?? 0,
      wasteMicrocents: wasted?.wasteMonthly ?? null,
      latencySpreadLast7Days: hasLongerHistory ? spreadOf(record.recentLatency) : null,
      latencySpread: spreadOf(record.latency),
      budgetPeriods: kept?.periods ?? 0,
      budgetPeriodsKept: kept?.kept ?? 0,
      outcomes: labelled?.outcomes ?? 0,
      successfulOutcomes: labelled?.successes ?? 0,
    };
    const parts = healthParts(known);
    return {
      id,
      name: settled?.name ?? record.agent_key,
      calls: record.calls,
      lastCallAt,
      isStale: lastCallAt === null || isStale(lastCallAt, now),
      parts,
      health: healthScore(parts, record.calls),
    };
  });
  return { window, agents };
}

/** 95th percentile ÷ median; meaningless for few calls. */
function spreadOf({ calls, p50_ms, p95_ms }: LatencySpread): number | null {
  if (calls < MIN_CALLS || p50_ms === null || p95_ms === null || p50_ms === 0) return null;
  return p95_ms / p50_ms;
}
