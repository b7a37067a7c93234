import type { AttributionModel } from "./attribution-models.ts";

export interface CreditableOutcome {
  readonly id: string;
  readonly outcomeType: string | null;
  /** null: it has a worth that nobody has put in money. */
  readonly valueCents: number | null;
  /** Whom it names: the agent of its event, or the agent itself. */
  readonly agentId: string | null;
  /** Of its session before it happened; null where there is no session, or nothing was called in it. */
  readonly firstAgentId: string | null;
  readonly lastAgentId: string | null;
}

export interface Credit {
  readonly agentId: string;
  readonly outcomes: number;
  readonly valueCents: number;
}

export interface CreditedType {
  readonly outcomeType: string | null;
  readonly outcomes: number;
  readonly valueCents: number;
  /** The most valuable first. */
  readonly credits: readonly Credit[];
}

export interface Credited {
  readonly outcomes: number;
  readonly valueCents: number;
  readonly unattributed: { readonly outcomes: number; readonly valueCents: number };
  readonly byType: readonly CreditedType[];
  readonly byAgent: readonly Credit[];
}

/**
 * Every outcome is credited once, whole, to one agent or to nobody: what is credited and what is not always sum to
 * the value there is. An outcome without a session has no touches, so it is credited to whom it names.
 */
export function creditOutcomes(
  outcomes: readonly CreditableOutcome[],
  model: AttributionModel,
  onlyAgent: string | null = null,
): Credited {
  const credited = outcomes
    .map(outcome => ({ outcome, agentId: agentOf(outcome, model) }))
    .filter(({ agentId }) => onlyAgent === null || agentId === onlyAgent);
  const types = new Map<string | null, typeof credited>();
  for (const credit of credited) {
    const same = types.get(credit.outcome.outcomeType);
    if (same === undefined) types.set(credit.outcome.outcomeType, [credit]);
    else same.push(credit);
  }
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
      return outcome.agentId;
    case "first_touch":
      return outcome.firstAgentId ?? outcome.agentId;
    case "last_touch":
      return outcome.lastAgentId ?? outcome.agentId;
    default:
      return model satisfies never;
  }
}

function creditsOf(assigned: readonly Assigned[]): Credit[] {
  const byAgent = new Map<string, { outcomes: number; valueCents: number }>();
  for (const { agentId, outcome } of assigned) {
    if (agentId === null) continue;
    const known = byAgent.get(agentId) ?? { outcomes: 0, valueCents: 0 };
    byAgent.set(agentId, {
      outcomes: known.outcomes + 1,
      valueCents: known.valueCents + (outcome.valueCents ?? 0),
    });
  }
  return [...byAgent]
    .map(([agentId, sums]) => ({ agentId, ...sums }))
    .toSorted((a, b) => b.valueCents - a.valueCents || compare(a.agentId, b.agentId));
}

function sumOf(assigned: readonly Assigned[]): { outcomes: number; valueCents: number } {
  return {
    outcomes: assigned.length,
    valueCents: assigned.reduce((sum, { outcome }) => sum + (outcome.valueCents ?? 0), 0),
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
