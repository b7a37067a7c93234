import { budgetPeriods, periodSpan } from "@tollgate/core/budget-period";
import { isOverLimit, isOverWarning, percentageUsed } from "@tollgate/core/budget-view";
import type { Scope } from "@tollgate/storage/read-model/queries";
import type { Control } from "../context.ts";
import { alertPreferencesOf } from "../operations/alert-preferences-of.ts";
import type { BudgetRow } from "../operations/list-budgets.ts";

type Parts = Pick<Control, "db" | "readModel" | "now" | "newId">;

interface Crossing {
  readonly key: string;
  readonly row: BudgetRow;
  readonly period: string;
  readonly spent: number;
  readonly line: "warning" | "limit";
}

/** A period that has just ended is looked at once more: its last call may have crossed a line unseen. */
const LATE_MS = 60_000;

/**
 * One alert for each line of a budget in each period: the warning, then the limit. Past the limit the warning has
 * nothing left to warn of. Said once, whoever looks how often: the key of the alert is unique.
 */
export async function raiseBudgetAlerts(parts: Parts, scope: Scope): Promise<void> {
  const rows = await parts.db
    .selectFrom("budgets")
    .selectAll()
    .where("org_id", "=", scope.orgId)
    .where("mode", "=", scope.mode)
    .where("status", "=", "active")
    .execute();
  if (rows.length === 0) return;
  const now = parts.now();
  const crossings = [...(await crossed(parts, rows, now - LATE_MS)), ...(await crossed(parts, rows, now))];
  const news = await untold(parts, scope, crossings);
  if (news.length === 0) return;
  const { budget_warning: wanted } = await alertPreferencesOf(parts.db, scope.orgId);
  if (!wanted.enabled) return;
  for (const crossing of news) await tell(parts, crossing, now);
}

async function crossed(parts: Parts, rows: readonly BudgetRow[], at: number): Promise<Crossing[]> {
  const asked = rows.map(row => ({ id: row.id, since: row.since, period: periodOf(row, at), row }));
  const spending = await parts.readModel.budgetSpend(asked);
  return asked.flatMap(({ id, since, period, row }) => {
    const spent = spending.get(id) ?? 0;
    const line = lineOf(row, spent);
    // A reset begins to count anew, and so does what is told of it.
    return line === null
      ? []
      : [{ key: `budget:${id}:${since}:${period}:${line}`, row, period, spent, line }];
  });
}

function lineOf(row: BudgetRow, spent: number): Crossing["line"] | null {
  if (isOverLimit(spent, row.limit_microcents)) return "limit";
  return isOverWarning(spent, row.limit_microcents, row.warning_pct) ? "warning" : null;
}

function periodOf(row: BudgetRow, at: number): string {
  return periodSpan(budgetPeriods.find(period => period === row.period) ?? "monthly", at).id;
}

/** Asked before anything is written: a budget that stays over its limit must not cost a write for every look. */
async function untold({ db }: Parts, scope: Scope, crossings: readonly Crossing[]): Promise<Crossing[]> {
  if (crossings.length === 0) return [];
  const byKey = new Map(crossings.map(crossing => [crossing.key, crossing]));
  const told = await db
    .selectFrom("alerts")
    .select("alert_key")
    .where("org_id", "=", scope.orgId)
    .where("mode", "=", scope.mode)
    .where("alert_key", "in", [...byKey.keys()])
    .execute();
  for (const { alert_key } of told) byKey.delete(alert_key);
  return [...byKey.values()];
}

async function tell(
  { db, newId }: Parts,
  { key, row, period, spent, line }: Crossing,
  now: number,
): Promise<void> {
  const percentage = percentageUsed(spent, row.limit_microcents);
  await db
    .insertInto("alerts")
    .values({
      id: newId(),
      org_id: row.org_id,
      mode: row.mode,
      alert_key: key,
      type: "budget_warning",
      severity: line === "limit" ? "critical" : "warning",
      message:
        line === "limit"
          ? `A ${row.period} budget has reached its limit (${percentage} % used)`
          : `A ${row.period} budget has reached its warning line (${percentage} % used)`,
      metadata: JSON.stringify({
        budget_id: row.id,
        percentage_used: percentage,
        kind: line,
        period: row.period,
        period_id: period,
        limit_microcents: row.limit_microcents,
        current_spending: spent,
        enforcement_mode: row.enforcement_mode,
      }),
      agent_id: row.agent_id,
      triggered_at: now,
      read_at: null,
    })
    .onConflict(conflict => conflict.columns(["org_id", "mode", "alert_key"]).doNothing())
    .execute();
}
