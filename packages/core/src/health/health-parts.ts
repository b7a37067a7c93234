import { wilsonInterval } from "../statistics/wilson-interval.ts";

/** What is known of an agent's last 30 days. */
export interface AgentHealth {
  readonly calls: number;
  /** A client that left is none. */
  readonly failedCalls: number;
  readonly spendMicrocents: number;
  /** Of the leak scan; null: it has not looked at this agent. */
  readonly wasteMicrocents: number | null;
  /** 95th percentile over median; null: too few calls for one. */
  readonly latencySpreadLast7Days: number | null;
  readonly latencySpread: number | null;
  /** Budgets of this agent: periods that ended, and those of them that ended within the limit. */
  readonly budgetPeriods: number;
  readonly budgetPeriodsKept: number;
  /** Those that say whether they succeeded. */
  readonly outcomes: number;
  readonly successfulOutcomes: number;
}

/** Each from 0 to 1; null: no data. */
export interface HealthParts {
  readonly reliability: number | null;
  readonly cost_efficiency: number | null;
  readonly latency_steadiness: number | null;
  readonly budgets: number | null;
  readonly outcomes: number | null;
}

export function healthParts(agent: AgentHealth): HealthParts {
  return {
    // The lower end: a few calls without a failure are no proof of reliability.
    reliability: wilsonInterval(agent.calls - agent.failedCalls, agent.calls)?.low ?? null,
    cost_efficiency: costEfficiency(agent),
    latency_steadiness: latencySteadiness(agent),
    budgets: share(agent.budgetPeriodsKept, agent.budgetPeriods),
    outcomes: share(agent.successfulOutcomes, agent.outcomes),
  };
}

function costEfficiency({ wasteMicrocents, spendMicrocents }: AgentHealth): number | null {
  if (wasteMicrocents === null || spendMicrocents <= 0) return null;
  // Findings overlap, so together they can claim more than was spent.
  return 1 - Math.min(1, wasteMicrocents / spendMicrocents);
}

/** 1 while the last week is as steady as the agent's own month; half if the slow calls are twice as far off. */
function latencySteadiness({
  latencySpreadLast7Days: recent,
  latencySpread: usual,
}: AgentHealth): number | null {
  if (recent === null || usual === null || recent <= 0) return null;
  return Math.min(1, usual / recent);
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
