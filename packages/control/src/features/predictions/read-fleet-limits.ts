import { lineOf } from "@tollgate/core/alerts/threshold";
import { limitsOf } from "@tollgate/core/limits/tiers";
import type { FleetLimits } from "@tollgate/core/predictions/fleet-limits";
import { fromRow } from "@tollgate/storage/database/from-row";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { Scope } from "@tollgate/storage/ledger/scope";
import type { Control } from "../../kernel/context.ts";
import { alertPreferencesOf } from "../alert-preferences/preferences-of.ts";
import { toThreshold } from "../alerts/alert-settings.ts";
import { listBudgets } from "../budgets/read-budgets.ts";

/** All limits of an organization that could be reached. null: no such organization. */
export async function readFleetLimits(
  parts: Pick<Control, "db" | "readModel" | "now">,
  scope: Scope,
): Promise<FleetLimits | null> {
  const { db } = parts;
  const organization = await db
    .selectFrom("organizations")
    .select(["id", "tier", "burst_per_minute", "monthly_calls"])
    .where("id", "=", scope.orgId)
    .executeTakeFirst();
  if (organization === undefined) return null;
  const { error_rate, cost_spike } = await alertPreferencesOf(db, scope.orgId);
  const rules = await db
    .selectFrom("alert_thresholds")
    .selectAll()
    .where(inScope(scope))
    .orderBy("id")
    .execute();
  const budgets = await listBudgets({ ...parts, scope });
  const limits = limitsOf(fromRow("organizations", organization).tier, {
    burstPerMinute: organization.burst_per_minute,
    monthlyCalls: organization.monthly_calls,
  });
  return {
    errorRate: error_rate.enabled ? error_rate.threshold_pct / 100 : null,
    costSpikePct: cost_spike.enabled ? cost_spike.threshold_pct : null,
    rules: rules.map(row => {
      const rule = toThreshold(fromRow("alert_thresholds", row));
      return { id: rule.id, agentId: rule.agentId, metric: rule.metric, value: lineOf(rule) };
    }),
    budgets: budgets
      .filter(({ row }) => row.status === "active")
      .map(({ row, span, spent, unpricedCalls }) => ({
        id: row.id,
        agentId: row.agent_id,
        agentKey: row.agent_key,
        keyId: row.key_id,
        customerId: row.customer_id,
        period: row.period,
        limitMicrocents: row.limit_microcents,
        spentMicrocents: spent,
        unpricedCalls,
        countsFrom: Math.max(span.startsAtMs, row.since),
        endsAtMs: span.endsAtMs,
      })),
    burstPerMinute: limits.burstPerMinute,
    // Test calls have no monthly limit.
    monthlyCalls: scope.mode === "test" ? Number.POSITIVE_INFINITY : limits.monthlyCalls,
  };
}
