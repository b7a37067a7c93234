import type { AlertDraft } from "@tollgate/core/alerts/alert-draft";
import { isOfLastHour } from "@tollgate/core/alerts/alert-period";
import { listOfTexts } from "@tollgate/storage/database/list-of";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { Scope } from "@tollgate/storage/ledger/scope";
import type { Control } from "../../kernel/context.ts";
import { raiseAlert, type SideEffect } from "./raise-alert.ts";

type Parts = Pick<Control, "db" | "engine" | "now" | "newId" | "wakeSender">;

export interface OpenAlert {
  readonly id: string;
  readonly alert_key: string;
  readonly rule_key: string;
  readonly agent_id: string | null;
}

export interface AlertCandidate {
  readonly draft: AlertDraft;
  /** Prepares the side effect, which then runs in the alert's transaction. */
  readonly sideEffect?: () => Promise<SideEffect>;
}

/** Idle agents are handled separately: there may be many, and no call triggers them. */
const isSettledHere = /^(cost_spike|error_rate|usage_spike)$|^(budget|threshold):/;

export function keyOf({ ruleKey, period }: Pick<AlertDraft, "ruleKey" | "period">): string {
  return `${ruleKey}:${period}`;
}

export function periodOf({ alert_key, rule_key }: OpenAlert): string {
  return alert_key.slice(rule_key.length + 1);
}

/**
 * Moving a budget's threshold while the spend is beyond both values raises no new alert for the same period. Everything
 * else is identified by its key alone.
 */
function countOf(ruleKey: string, period: string): string {
  if (!ruleKey.startsWith("budget:")) return keyOf({ ruleKey, period });
  const [id, since] = period.split(":");
  return `${ruleKey}:${id}:${since}`;
}

/** Resolves what no longer holds and raises what is new. `holding`: every condition that is true now, raised or not. */
export async function settleAlerts(
  parts: Parts,
  scope: Scope,
  holding: readonly AlertDraft[],
  candidates: readonly AlertCandidate[],
  endsLastHour: boolean,
): Promise<void> {
  const rows = await openAlerts(parts, scope);
  const keys = new Set(holding.map(keyOf));
  const rules = new Set(holding.map(({ ruleKey }) => ruleKey));
  const counted = new Set(holding.map(({ ruleKey, period }) => countOf(ruleKey, period)));
  const holds = (alert: OpenAlert) =>
    isOfLastHour(periodOf(alert))
      ? !endsLastHour || rules.has(alert.rule_key)
      : keys.has(alert.alert_key) || counted.has(countOf(alert.rule_key, periodOf(alert)));
  await resolveAlerts(
    parts,
    scope,
    rows.filter(alert => !holds(alert)),
  );
  // Includes alerts resolved just now: their thresholds have not been crossed a second time.
  const openKeys = new Set(rows.map(({ alert_key }) => alert_key));
  const openRules = new Set(rows.map(({ rule_key }) => rule_key));
  const openCounts = new Set(rows.map(row => countOf(row.rule_key, periodOf(row))));
  const news = candidates.filter(
    ({ draft }) =>
      !openKeys.has(keyOf(draft)) &&
      !openCounts.has(countOf(draft.ruleKey, draft.period)) &&
      !(isOfLastHour(draft.period) && openRules.has(draft.ruleKey)),
  );
  await raiseNew(parts, scope, news);
}

/**
 * Raises alerts that were not raised before and resolves with their number. Checks first, because a condition that
 * stays true must not cost a write at every evaluation.
 */
export async function raiseNew(
  parts: Parts,
  scope: Scope,
  candidates: readonly AlertCandidate[],
  atMost = Number.POSITIVE_INFINITY,
): Promise<number> {
  if (candidates.length === 0) return 0;
  const keys = candidates.map(({ draft }) => keyOf(draft));
  const existing = await parts.db
    .selectFrom("alerts")
    .select("alert_key")
    .where(inScope(scope))
    .where("alert_key", "in", listOfTexts(parts.engine, keys))
    .execute();
  const known = new Set(existing.map(({ alert_key }) => alert_key));
  let raised = 0;
  for (const { draft, sideEffect } of candidates) {
    if (raised >= atMost) break;
    if (known.has(keyOf(draft))) continue;
    await raiseAlert(parts, scope, draft, await sideEffect?.());
    raised++;
  }
  return raised;
}

export async function resolveAlerts(
  { db, now, engine }: Parts,
  scope: Scope,
  over: readonly OpenAlert[],
): Promise<void> {
  if (over.length === 0) return;
  await db
    .updateTable("alerts")
    .set({ resolved_at: now() })
    .where(inScope(scope))
    .where(
      "id",
      "in",
      listOfTexts(
        engine,
        over.map(({ id }) => id),
      ),
    )
    .where("resolved_at", "is", null)
    .execute();
}

async function openAlerts({ db }: Parts, scope: Scope): Promise<OpenAlert[]> {
  const rows = await db
    .selectFrom("alerts")
    .select(["id", "alert_key", "rule_key", "agent_id"])
    .where(inScope(scope))
    .where("resolved_at", "is", null)
    .where("type", "<>", "idle_agent")
    .execute();
  return rows.filter(({ rule_key }) => isSettledHere.test(rule_key));
}
