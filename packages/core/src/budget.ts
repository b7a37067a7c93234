import type { BudgetPeriod } from "./budget-period.ts";
import type { Mode } from "./event.ts";
import type { Microcents } from "./money.ts";

export const enforcementModes = ["alert_only", "soft_block", "hard_block"] as const;

export type EnforcementMode = (typeof enforcementModes)[number];

/** A budget as it is obeyed. */
export interface Budget {
  readonly id: string;
  readonly orgId: string;
  readonly mode: Mode;
  /** null: the whole organization. */
  readonly agentKey: string | null;
  readonly period: BudgetPeriod;
  readonly limit: Microcents;
  readonly enforcement: EnforcementMode;
  /** Reserves the worst case of every call, and never exceeds. */
  readonly isStrict: boolean;
  /** Tracked, not enforced. */
  readonly isPaused: boolean;
  /** Spend counts from here: the creation, or the last reset. Epoch milliseconds. */
  readonly since: number;
}

/** The organization's own budgets and its mode's are given; whose spend within them, and from when, is told here. */
export function countsToward(budget: Budget, agentKey: string, createdAt: number): boolean {
  return createdAt >= budget.since && (budget.agentKey === null || budget.agentKey === agentKey);
}

export function isBlocking(budget: Budget): boolean {
  return budget.enforcement === "hard_block" && !budget.isPaused;
}
