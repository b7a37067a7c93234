import { meanInterval } from "../statistics/mean-interval.ts";
import { pairedSampleSize } from "../statistics/paired-sample-size.ts";
import { DAY_MS } from "../time/durations.ts";
import { startOfDay } from "../time/start-of-day.ts";
import { CONTROL_EVERY, type VerificationPolicy } from "./trial-plan.ts";

/** Half of the pairs tie: what the built-in policies are planned for. */
const DISCORDANT = 0.5;
const MIN_PAIRS = 50;

interface Mean {
  readonly value: number;
  readonly interval: { readonly low: number; readonly high: number } | null;
}

export interface VolumeVersusPower {
  /** null: not one whole day was observed. */
  readonly callsPerDay: Mean | null;
  readonly pairsPerDay: Mean | null;
  readonly pairsNeeded: number;
  /** null: there are no calls to take pairs from. */
  readonly daysToVerdict: Mean | null;
}

export interface DailyCalls {
  /** Whole UTC days, with or without calls. */
  readonly days: number;
  readonly calls: number;
  /** The sum of each day's calls, squared. */
  readonly squaredCalls: number;
}

interface ObservedAgent {
  readonly first_seen_at: number;
  /** null: no calls. */
  readonly first_day: number | null;
  readonly calls: number;
  readonly squared_calls: number;
}

/** From the agent's first day on: before it, there was nothing to call. */
export function dailyCalls(
  agent: ObservedAgent,
  days: { readonly from: number; readonly to: number },
): DailyCalls {
  const firstDay = startOfDay(agent.first_seen_at);
  const from = Math.max(days.from, Math.min(firstDay, agent.first_day ?? firstDay));
  return {
    days: Math.max(0, Math.round((days.to - from) / DAY_MS)),
    calls: agent.calls,
    squaredCalls: agent.squared_calls,
  };
}

/** How long a verification of an agent would take at its own volume. */
export function volumeVersusPower(
  { days, calls, squaredCalls }: DailyCalls,
  policy: Pick<VerificationPolicy, "margin" | "max_pairs" | "sample_share">,
): VolumeVersusPower {
  const needed = pairedSampleSize(DISCORDANT, policy.margin) ?? policy.max_pairs;
  const pairsNeeded = Math.min(policy.max_pairs, Math.max(MIN_PAIRS, needed));
  if (days < 1) return { callsPerDay: null, pairsPerDay: null, pairsNeeded, daysToVerdict: null };
  const mean = calls / days;
  const variance = days < 2 ? 0 : Math.max(0, (squaredCalls - days * mean * mean) / (days - 1));
  const found = meanInterval(mean, Math.sqrt(variance / days), days - 1);
  const callsPerDay = { value: mean, interval: found && { low: Math.max(0, found.low), high: found.high } };
  // Controls compare the production model with itself, and count for no verdict.
  const pairsPerDay = scaled(callsPerDay, policy.sample_share * (1 - 1 / CONTROL_EVERY));
  return { callsPerDay, pairsPerDay, pairsNeeded, daysToVerdict: daysOf(pairsPerDay, pairsNeeded) };
}

function scaled({ value, interval }: Mean, factor: number): Mean {
  return {
    value: value * factor,
    interval: interval && { low: interval.low * factor, high: interval.high * factor },
  };
}

function daysOf({ value, interval }: Mean, pairs: number): Mean | null {
  if (value <= 0) return null;
  // At its lowest pace it might never end.
  const isBounded = interval !== null && interval.low > 0;
  return {
    value: pairs / value,
    interval: isBounded ? { low: pairs / interval.high, high: pairs / interval.low } : null,
  };
}
