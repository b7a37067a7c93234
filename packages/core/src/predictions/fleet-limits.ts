import type { ThresholdMetric } from "../alerts/threshold.ts";

/** A rule set for the organization (`agentId` null) or for one agent. */
export interface ThresholdRule {
  readonly id: string;
  readonly agentId: string | null;
  readonly metric: ThresholdMetric;
  /** Microcents, a fraction, or milliseconds. */
  readonly value: number;
}

export interface BudgetCourse {
  readonly id: string;
  /** Both null: the whole organization. */
  readonly agentId: string | null;
  readonly agentKey: string | null;
  readonly period: "daily" | "monthly";
  readonly limitMicrocents: number;
  readonly spentMicrocents: number;
  /** When its spend began to count: the period's start, or its making or last reset within it. */
  readonly countsFrom: number;
  /** Excluded. */
  readonly endsAtMs: number;
}

/** Everything that could be reached. */
export interface FleetLimits {
  /** A fraction, for each agent; null: alerts are off. */
  readonly errorRate: number | null;
  /** How far above its usual day a day's cost is a spike, in percent; null: alerts are off. */
  readonly costSpikePct: number | null;
  readonly rules: readonly ThresholdRule[];
  readonly budgets: readonly BudgetCourse[];
  readonly burstPerMinute: number;
  /** Infinity: no limit. */
  readonly monthlyCalls: number;
}
