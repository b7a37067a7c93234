import { type Output, useOperation } from "../../data/use-operation.ts";
import { useView } from "../../data/view.tsx";

/** Sums of the agent's calls in the range. null: it is not among the known agents. */
export interface AgentSums {
  readonly calls: number;
  readonly errors: number;
  readonly costMicrocents: number;
  readonly unpricedCalls: number;
}

type Group = Output<"analytics.breakdown">["groups"][number];

const MAX_KNOWN = 200;
const none: AgentSums = { calls: 0, errors: 0, costMicrocents: 0, unpricedCalls: 0 };

interface SumsByAgent {
  /** undefined: still loading. null: not known. */
  of(agentId: string): AgentSums | null | undefined;
  /** Calls that verifications made: no agent has them. null: none are known. */
  readonly verifications: AgentSums | null;
  /** How many agents had calls, and of how many the sums are known: those that cost most. */
  readonly groupCount: number | undefined;
  readonly knownCount: number;
}

/** Sums of the range by agent, of the 200 that cost most. */
export function useAgentSums(): SumsByAgent {
  const { range } = useView();
  const { data } = useOperation("analytics.breakdown", {
    group_by: "agent",
    from: range.from,
    to: range.to,
    interval: "none",
    limit: MAX_KNOWN,
  });
  const groupCount = data?.group_count;
  const groups = data?.groups ?? [];
  const byAgent = new Map(groups.map(group => [group.key, toSums(group)]));
  const isComplete = groupCount !== undefined && groups.length >= groupCount;
  return {
    of(agentId) {
      if (data === undefined) return undefined;
      return byAgent.get(agentId) ?? (isComplete ? none : null);
    },
    verifications: byAgent.get(null) ?? null,
    groupCount,
    knownCount: groups.length,
  };
}

function toSums({ call_count, error_count, cost_microcents, unpriced_calls }: Group): AgentSums | null {
  // Only a kind of cost has no calls.
  if (call_count === null || error_count === null || unpriced_calls === null) return null;
  return {
    calls: call_count,
    errors: error_count,
    costMicrocents: cost_microcents,
    unpricedCalls: unpriced_calls,
  };
}
