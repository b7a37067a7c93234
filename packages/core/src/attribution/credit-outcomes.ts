import type { AttributionModel } from "./attribution-models.ts";
import { type OutcomeSums, type OutcomeValue, sumOutcomes } from "./outcome-sums.ts";

export interface CreditableOutcome extends OutcomeValue {
  readonly id: string;
  /** The agent named by the outcome or its event. */
  readonly agentId: string | null;
  /** Agents of its session's calls before the outcome; null: no session, or no calls in it. */
  readonly firstAgentId: string | null;
  readonly lastAgentId: string | null;
}

export interface Credit extends OutcomeSums {
  readonly agentId: string;
}

interface CreditedType extends OutcomeSums {
  readonly outcomeType: string | null;
  /** Most valuable first. */
  readonly credits: readonly Credit[];
}

export interface Credited extends OutcomeSums {
  readonly unattributed: OutcomeSums;
  readonly byType: readonly CreditedType[];
  readonly byAgent: readonly Credit[];
}

/**
 * Every outcome is credited once, in full, to one agent or to none: credited and uncredited value always add up to the
 * total. An outcome without a session is credited to the agent it names; one with a session but no agent is credited to
 * the session's last agent, or ROI and attribution would disagree.
 */
export function creditOutcomes(
  outcomes: readonly CreditableOutcome[],
  model: AttributionModel,
  onlyAgent: string | null = null,
): Credited {
  const credited = outcomes
    .map(outcome => ({ outcome, agentId: agentOf(outcome, model) }))
    .filter(({ agentId }) => onlyAgent === null || agentId === onlyAgent);
  const types = Map.groupBy(credited, ({ outcome }) => outcome.outcomeType);
  const byType = [...types].map(([outcomeType, same]) => ({
    outcomeType,
    ...sumOf(same),
    credits: creditsOf(same),
  }));
  return {
    ...sumOf(credited),
    unattributed: sumOf(credited.filter(({ agentId }) => agentId === null)),
    byType: byType.toSorted(
      (a, b) => b.valueCents - a.valueCents || compare(a.outcomeType ?? "", b.outcomeType ?? ""),
    ),
    byAgent: creditsOf(credited),
  };
}

interface Assigned {
  readonly outcome: CreditableOutcome;
  readonly agentId: string | null;
}

function agentOf(outcome: CreditableOutcome, model: AttributionModel): string | null {
  switch (model) {
    case "direct":
      return outcome.agentId ?? outcome.lastAgentId;
    case "first_touch":
      return outcome.firstAgentId ?? outcome.agentId;
    case "last_touch":
      return outcome.lastAgentId ?? outcome.agentId;
    default:
      return model satisfies never;
  }
}

function creditsOf(assigned: readonly Assigned[]): Credit[] {
  const byAgent = Map.groupBy(assigned, ({ agentId }) => agentId);
  return [...byAgent]
    .flatMap(([agentId, same]) => (agentId === null ? [] : [{ agentId, ...sumOf(same) }]))
    .toSorted((a, b) => b.valueCents - a.valueCents || compare(a.agentId, b.agentId));
}

function sumOf(assigned: readonly Assigned[]): OutcomeSums {
  return sumOutcomes(assigned.map(({ outcome }) => outcome));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
