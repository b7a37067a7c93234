import type { ThresholdMetric } from "../alerts/threshold.ts";

/** A rule that somebody set for the organization (`agentId` null) or one agent. */
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
  readonly endsAt: number;
}

/** Everything that could be reached. */
export interface FleetLimits {
  /** A fraction; null: nobody wants to be told. Holds for each agent. */
  readonly errorRate: number | null;
  /** How far over its usual day a day's cost is a spike, in percent; null: nobody wants to be told. */
  readonly costSpikePct: number | null;
  readonly rules: readonly ThresholdRule[];
  readonly budgets: readonly BudgetCourse[];
  readonly burstPerMinute: number;
  /** Infinite where there is no such limit. */
  readonly monthlyCalls: number;
}
