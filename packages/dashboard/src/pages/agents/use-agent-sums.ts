import { keepPreviousData, useQueries } from "@tanstack/react-query";
import { useScopedClient } from "../../data/scope.tsx";
import { type Output, operationKey, useOperation } from "../../data/use-operation.ts";
import { useView } from "../../data/view.tsx";

/** What the agent did within the range. null: it is not among those that are known. */
export interface AgentSums {
  readonly calls: number;
  readonly errors: number;
  readonly costMicrocents: number;
  readonly unpricedCalls: number;
}

type Group = Output<"analytics.breakdown">["groups"][number];

const PAGE_SIZE = 25;
const MAX_PAGES = 8;
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
  const { scope, client } = useScopedClient();
  const { range } = useView();
  const input = { group_by: "agent", from: range.from, to: range.to, limit: PAGE_SIZE } as const;
  const first = useOperation("analytics.breakdown", input);
  const groupCount = first.data?.group_count;
  const pages = Math.min(MAX_PAGES, Math.ceil((groupCount ?? 0) / PAGE_SIZE));
  const others = useQueries({
    queries: Array.from({ length: Math.max(0, pages - 1) }, (_, index) => {
      const page = { ...input, offset: (index + 1) * PAGE_SIZE };
      return {
        queryKey: operationKey(scope, "analytics.breakdown", page),
        queryFn: () => client.call("analytics.breakdown", page),
        placeholderData: keepPreviousData,
      };
    }),
  });
  const groups = [first.data, ...others.map(({ data }) => data)].flatMap(data => data?.groups ?? []);
  const byAgent = new Map(groups.map(group => [group.key, toSums(group)]));
  const isComplete = groupCount !== undefined && groups.length >= groupCount;
  return {
    of(agentId) {
      if (first.data === undefined) return undefined;
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
