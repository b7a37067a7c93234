import { wilsonInterval } from "../statistics/wilson-interval.ts";

/** An agent's data of the last 30 days. */
export interface AgentHealth {
  readonly calls: number;
  /** A client that disconnected is not a failure. */
  readonly failedCalls: number;
  readonly spendMicrocents: number;
  /** From the leak scan; null: the agent was not scanned. */
  readonly wasteMicrocents: number | null;
  /** 95th percentile ÷ median; null: too few calls. */
  readonly latencySpreadLast7Days: number | null;
  readonly latencySpread: number | null;
  /** This agent's budgets: periods that ended, and those that ended within the limit. */
  readonly budgetPeriods: number;
  readonly budgetPeriodsKept: number;
  /** Outcomes that report success or failure. */
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
    // The lower bound: a few calls without a failure do not prove reliability.
    reliability: wilsonInterval(agent.calls - agent.failedCalls, agent.calls)?.low ?? null,
    cost_efficiency: costEfficiency(agent),
    latency_steadiness: latencySteadiness(agent),
    budgets: share(agent.budgetPeriodsKept, agent.budgetPeriods),
    outcomes: share(agent.successfulOutcomes, agent.outcomes),
  };
}

function costEfficiency({ wasteMicrocents, spendMicrocents }: AgentHealth): number | null {
  if (wasteMicrocents === null || spendMicrocents <= 0) return null;
  // Findings overlap, so their sum can exceed the spend.
  return 1 - Math.min(1, wasteMicrocents / spendMicrocents);
}

/** 1 if the last week is as steady as the agent's own month; one half if its spread has doubled. */
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
