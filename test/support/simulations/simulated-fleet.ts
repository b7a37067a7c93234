import type { FleetLimits } from "@tollgate/core/predictions/fleet-limits";
import type { UsageBucket, UsageSeries } from "@tollgate/core/predictions/usage-series";
import { DAY_MS, HOUR_MS } from "@tollgate/core/time/durations";

/** Half past noon on the 22nd: a month with enough whole days, a day with enough whole hours. */
export const FLEET_NOW = Date.parse("2026-11-22T12:30:00.000Z");

export interface Rates {
  /** Calls per hour. */
  readonly calls: (at: number) => number;
  /** Errors per call. */
  readonly errors: (at: number) => number;
  readonly latencyMs: (at: number) => number;
  /** Per call. */
  readonly microcents: (at: number) => number;
}

/** Reproducible random numbers (a xorshift register). */
export function seeded(seed: number): () => number {
  let state = (Math.imul(seed, 0x9e3779b1) ^ 0x85ebca6b) | 1;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  for (let skipped = 0; skipped < 20; skipped++) next();
  return next;
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

function count(random: () => number, mean: number): number {
  if (mean > 50) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(random)));
  let events = -1;
  for (let product = 1; product > Math.exp(-mean); events++) product *= random();
  return events;
}

function hits(random: () => number, n: number, p: number): number {
  let found = 0;
  for (let i = 0; i < n; i++) if (random() < p) found++;
  return found;
}

/**
 * Autocorrelated noise (`alike` is the correlation of adjacent hours): it drifts up and down for hours without a trend.
 * Standard deviation 1.
 */
export function wandering(random: () => number, alike: number): (at: number) => number {
  const hours = new Map<number, number>();
  let value = normal(random);
  const first = Math.floor(FLEET_NOW / DAY_MS) * DAY_MS - 28 * DAY_MS;
  for (let at = first; at <= FLEET_NOW; at += HOUR_MS) {
    value = alike * value + Math.sqrt(1 - alike ** 2) * normal(random);
    hours.set(at, value);
  }
  return at => hours.get(at) ?? 0;
}

/** 28 days of one agent, with random noise. */
export function simulateAgent(agentId: string, rates: Rates, random: () => number): UsageSeries {
  const hours: UsageBucket[] = [];
  const first = Math.floor(FLEET_NOW / DAY_MS) * DAY_MS - 28 * DAY_MS;
  for (let at = first; at <= FLEET_NOW; at += HOUR_MS) {
    const calls = count(random, rates.calls(at));
    if (calls === 0) continue;
    // A mean of skewed latencies: most calls are similar, some take far longer.
    const latency = rates.latencyMs(at) * Math.exp((0.8 / Math.sqrt(calls)) * normal(random));
    const cost = rates.microcents(at) * calls * Math.exp((1 / Math.sqrt(calls)) * normal(random));
    hours.push({
      at,
      calls,
      errors: hits(random, calls, rates.errors(at)),
      latency_sum_ms: Math.round(latency * calls),
      cost_microcents: Math.round(cost),
      unpriced_calls: 0,
    });
  }
  return { agentId, hours, days: byTime([hours], DAY_MS) };
}

export function organizationOf(agents: readonly UsageSeries[]): UsageSeries {
  return {
    agentId: null,
    hours: byTime(
      agents.map(agent => agent.hours),
      HOUR_MS,
    ),
    days: byTime(
      agents.map(agent => agent.days),
      DAY_MS,
    ),
  };
}

function byTime(series: readonly (readonly UsageBucket[])[], unitMs: number): UsageBucket[] {
  const sums = new Map<number, UsageBucket>();
  for (const bucket of series.flat()) {
    const at = Math.floor(bucket.at / unitMs) * unitMs;
    const sum = sums.get(at);
    sums.set(at, {
      at,
      calls: (sum?.calls ?? 0) + bucket.calls,
      errors: (sum?.errors ?? 0) + bucket.errors,
      latency_sum_ms: (sum?.latency_sum_ms ?? 0) + bucket.latency_sum_ms,
      cost_microcents: (sum?.cost_microcents ?? 0) + bucket.cost_microcents,
      unpriced_calls: (sum?.unpriced_calls ?? 0) + bucket.unpriced_calls,
    });
  }
  return [...sums.values()].toSorted((a, b) => a.at - b.at);
}

/** Limits that traffic without a trend does not reach. */
export const NO_LIMITS: FleetLimits = {
  errorRate: 0.1,
  costSpikePct: 50,
  rules: [],
  budgets: [],
  burstPerMinute: 500,
  monthlyCalls: Number.POSITIVE_INFINITY,
};
