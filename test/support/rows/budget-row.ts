export interface BudgetChange {
  readonly id?: string;
  readonly mode?: "live" | "test";
  readonly agent?: string;
  readonly key?: string;
  readonly customer?: string;
  readonly period?: "daily" | "monthly";
  readonly limit: number;
  readonly enforcement?: "alert_only" | "soft_block" | "hard_block";
  readonly strict?: boolean;
  readonly paused?: boolean;
  readonly since?: number;
}

/** The row of a budget created at `at`. */
export function budgetRow(orgId: string, change: BudgetChange, at: number) {
  return {
    id: change.id ?? crypto.randomUUID(),
    org_id: orgId,
    mode: change.mode ?? "live",
    agent_id: change.agent ? `id-of-${change.agent}` : null,
    agent_key: change.agent ?? null,
    key_id: change.key ?? null,
    customer_id: change.customer ?? null,
    period: change.period ?? "daily",
    limit_microcents: change.limit,
    warning_pct: 80,
    enforcement_mode: change.enforcement ?? "hard_block",
    strict: change.strict ? 1 : 0,
    status: change.paused ? "paused" : "active",
    since: at,
    created_at: at,
    updated_at: at,
  };
}
