import { budgetExhaustion } from "./budget-exhaustion.ts";
import { dailyCostOverrun, monthlyCostOverrun } from "./cost-overrun.ts";
import { errorRateBreach } from "./error-rate-breach.ts";
import type { BudgetCourse, FleetLimits, ThresholdRule } from "./fleet-limits.ts";
import { latencyDegradation } from "./latency-degradation.ts";
import type { Finding } from "./prediction.ts";
import { burstLimitRisk, monthlyLimitRisk } from "./rate-limit-risk.ts";
import type { CostSeries, UsageSeries } from "./usage-series.ts";

/** A rate cannot exceed 1. */
const MAX_RATE = 1;

/** All tests for one agent. */
export function examineAgent(series: UsageSeries, limits: FleetLimits, nowMs: number): Finding[] {
  const rules = limits.rules.filter(rule => rule.agentId === series.agentId);
  const errorRate = lowest([...valuesOf(rules, "error_rate"), ...listOf(limits.errorRate)]);
  return present([
    errorRate === null || errorRate >= MAX_RATE ? null : errorRateBreach(series, errorRate, nowMs),
    latencyDegradation(series, lowest(valuesOf(rules, "latency_p99")), nowMs),
    ...costs(series, rules, limits, nowMs),
    ...budgets(series, limits, nowMs),
  ]);
}

/** All tests for the organization as a whole. */
export function examineOrganization(series: UsageSeries, limits: FleetLimits, nowMs: number): Finding[] {
  const rules = limits.rules.filter(rule => rule.agentId === null);
  const errorRate = lowest(valuesOf(rules, "error_rate"));
  const latency = lowest(valuesOf(rules, "latency_p99"));
  return present([
    errorRate === null || errorRate >= MAX_RATE ? null : errorRateBreach(series, errorRate, nowMs),
    latency === null ? null : latencyDegradation(series, latency, nowMs),
    ...costs(series, rules, limits, nowMs),
    ...budgets(series, limits, nowMs),
    monthlyLimitRisk(series, limits.monthlyCalls, nowMs),
    burstLimitRisk(series, limits.burstPerMinute, nowMs),
  ]);
}

function costs(
  series: UsageSeries,
  rules: readonly ThresholdRule[],
  { costSpikePct }: FleetLimits,
  nowMs: number,
): (Finding | null)[] {
  return [
    ...listOf(costSpikePct).map(pct => dailyCostOverrun(series, { kind: "spike", pct }, nowMs)),
    ...linesOf(rules, "daily_cost").map(({ id, value }) =>
      dailyCostOverrun(series, { kind: "rule", id, microcents: value }, nowMs),
    ),
    ...linesOf(rules, "monthly_cost").map(({ id, value }) =>
      monthlyCostOverrun(series, { id, microcents: value }, nowMs),
    ),
  ];
}

/** The budget of a key or a customer, by the costs that count toward it. */
export function examineBudget(series: CostSeries, budget: BudgetCourse, nowMs: number): Finding[] {
  return present([budgetExhaustion(series, budget, nowMs)]);
}

/** Whether its costs are a series of their own, neither an agent's nor the organization's. */
export function hasOwnSeries({ keyId, customerId }: BudgetCourse): boolean {
  return keyId !== null || customerId !== null;
}

function budgets(series: UsageSeries, limits: FleetLimits, nowMs: number): (Finding | null)[] {
  return limits.budgets
    .filter(budget => budget.agentId === series.agentId && !hasOwnSeries(budget))
    .map(budget => budgetExhaustion(series, budget, nowMs));
}

/** Rules that differ only in their action share one threshold, which is predicted once. */
function linesOf(rules: readonly ThresholdRule[], metric: ThresholdRule["metric"]): ThresholdRule[] {
  const known = new Set<number>();
  return rules.filter(rule => rule.metric === metric && !known.has(rule.value) && known.add(rule.value));
}

function valuesOf(rules: readonly ThresholdRule[], metric: ThresholdRule["metric"]): number[] {
  return rules.filter(rule => rule.metric === metric).map(rule => rule.value);
}

function lowest(values: readonly number[]): number | null {
  return values.length === 0 ? null : Math.min(...values);
}

function listOf(value: number | null): number[] {
  return value === null ? [] : [value];
}

function present(findings: readonly (Finding | null)[]): Finding[] {
  return findings.filter(finding => finding !== null);
}
