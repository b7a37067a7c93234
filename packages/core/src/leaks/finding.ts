import type { Microcents } from "../money/money.ts";

/** The canonical names, in the order of execution and reporting. */
export const leakChecks = [
  "idle_agents",
  "model_overprovisioning",
  "missing_caching",
  "high_error_rates",
  "context_bloat",
  "missing_budgets",
  "cross_provider_arbitrage",
] as const;

export type LeakCheckName = (typeof leakChecks)[number];

/** Worst first. */
export const leakSeverities = ["critical", "high", "medium", "low"] as const;

export type LeakSeverity = (typeof leakSeverities)[number];

export interface Finding {
  readonly check: LeakCheckName;
  readonly severity: LeakSeverity;
  /** null: the whole organization. */
  readonly agentId: string | null;
  readonly agentName: string | null;
  readonly description: string;
  /** The organization's own numbers behind the finding. */
  readonly evidence: Readonly<Record<string, number | string | null>>;
  /** Over 30 days. */
  readonly wasteMonthly: Microcents;
  readonly fix: string;
  /** The gateway can apply it on request. */
  readonly isAutoFixable: boolean;
}
