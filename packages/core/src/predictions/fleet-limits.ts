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
  /** Whose budget it is; all null: the whole organization's. */
  readonly agentId: string | null;
  readonly agentKey: string | null;
  readonly keyId: string | null;
  readonly customerId: string | null;
  readonly period: "daily" | "monthly";
  readonly limitMicrocents: number;
  readonly spentMicrocents: number;
  /** Calls of unknown cost, which the spend leaves out. */
  readonly unpricedCalls: number;
  /** Start of the counted spend: the period's start, or a creation or reset within it. */
  readonly countsFrom: number;
  /** Exclusive. */
  readonly endsAtMs: number;
}

/** All thresholds that could be reached. */
export interface FleetLimits {
  /** A fraction, per agent; null: alerts are disabled. */
  readonly errorRate: number | null;
  /** How far a day's cost must exceed the usual day to be a spike, in percent; null: alerts are disabled. */
  readonly costSpikePct: number | null;
  readonly rules: readonly ThresholdRule[];
  readonly budgets: readonly BudgetCourse[];
  readonly burstPerMinute: number;
  /** Infinity: no limit. */
  readonly monthlyCalls: number;
}
