import { isOverLimit, isOverWarning, percentageUsed } from "../budgets/percentage-used.ts";
import type { AlertDraft } from "./alert-draft.ts";
import type { AlertRule } from "./alert-rule.ts";
import { budgetInWords } from "./budget-in-words.ts";
import { plusUnpriced } from "./plus-unpriced.ts";

export interface BudgetObservation {
  readonly id: string;
  /** Whose budget it is; all null: the whole organization's. */
  readonly agentId: string | null;
  readonly agentKey: string | null;
  readonly keyId: string | null;
  readonly customerId: string | null;
  /** daily | monthly */
  readonly period: string;
  /** `2026-11-15` or `2026-11`. */
  readonly periodId: string;
  /** Start of counting: a reset restarts both the count and its alerts. */
  readonly since: number;
  readonly limitMicrocents: number;
  readonly warningPct: number;
  readonly enforcementMode: string;
  /** As counted by the gateway. */
  readonly spentMicrocents: number;
  /** Calls of this budget whose cost is unknown. */
  readonly unpricedCalls: number;
}

export const budgetLimit: AlertRule<BudgetObservation> = (observed, { budget_warning: { enabled } }) =>
  enabled && isOverLimit(observed.spentMicrocents, observed.limitMicrocents)
    ? draft(observed, "limit")
    : null;

/** Also true beyond the limit; there the limit's own alert replaces the warning. */
export const budgetWarning: AlertRule<BudgetObservation> = (observed, { budget_warning: { enabled } }) =>
  enabled && isOverWarning(observed.spentMicrocents, observed.limitMicrocents, observed.warningPct)
    ? draft(observed, "warning")
    : null;

/** A changed limit or warning is a new threshold: reaching it is reported regardless of earlier alerts. */
const lineAt = {
  limit: (_: BudgetObservation) => [],
  warning: ({ warningPct }: BudgetObservation) => [warningPct],
};

function draft(observed: BudgetObservation, line: "warning" | "limit"): AlertDraft {
  const percentage = percentageUsed(observed.spentMicrocents, observed.limitMicrocents);
  return {
    ruleKey: `budget:${observed.id}:${line}`,
    period: [observed.periodId, observed.since, observed.limitMicrocents, ...lineAt[line](observed)].join(
      ":",
    ),
    type: "budget_warning",
    severity: line === "limit" ? "critical" : "warning",
    message: `${budgetInWords(observed)} has reached its ${line === "limit" ? "limit" : "warning line"} (${percentage.toLocaleString("en-US")}% used)${plusUnpriced(observed.unpricedCalls)}`,
    metadata: {
      budget_id: observed.id,
      ...(observed.agentKey === null ? {} : { agent_key: observed.agentKey }),
      ...(observed.keyId === null ? {} : { key_id: observed.keyId }),
      ...(observed.customerId === null ? {} : { customer_id: observed.customerId }),
      percentage_used: percentage,
      kind: line,
      period: observed.period,
      period_id: observed.periodId,
      limit_microcents: observed.limitMicrocents,
      current_spending: observed.spentMicrocents,
      unpriced_calls: observed.unpricedCalls,
      enforcement_mode: observed.enforcementMode,
    },
    agentId: observed.agentId,
    notify: "preferences",
  };
}
