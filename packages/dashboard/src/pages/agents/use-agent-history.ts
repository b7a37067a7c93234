import { useQueries } from "@tanstack/react-query";
import { useRef } from "react";
import { useScopedClient } from "../../data/scope.tsx";
import { type Output, operationKey } from "../../data/use-operation.ts";
import { useView } from "../../data/view.tsx";
import { bucketsOf, type TimeBucket } from "./buckets.ts";

type Analysis = Output<"analytics.get">;

export interface HistoryPart extends TimeBucket {
  /** undefined: not known, because it is loading, has failed, or is older than the tier's history. */
  readonly analysis: Analysis | undefined;
}

interface AgentHistory {
  readonly parts: readonly HistoryPart[];
  readonly isLoading: boolean;
  readonly fault: Error | null;
}

/** One agent over the range, part by part: each part is an analysis of its own, with its percentiles. */
export function useAgentHistory(agentId: string): AgentHistory {
  const { scope, client } = useScopedClient();
  const { range } = useView();
  const buckets = bucketsOf(range);
  const kept = useRef(new Map<string, Analysis>());
  return useQueries({
    queries: buckets.map(({ from, to }) => {
      const input = { agent_id: agentId, from, to };
      return {
        queryKey: operationKey(scope, "analytics.get", input),
        queryFn: () => client.call("analytics.get", input),
      };
    }),
    combine: answers => ({
      parts: buckets.map((bucket, index) => {
        const key = `${agentId} ${range.lengthMs} ${bucket.key}`;
        const answer = answers[index]?.data;
        if (answer !== undefined) kept.current.set(key, answer);
        // The first and the last part move with the range; meanwhile the answer of a moment ago stays.
        const analysis = answer ?? kept.current.get(key);
        const isVisible = analysis !== undefined && analysis.summary.period.from < bucket.to;
        return { ...bucket, analysis: isVisible ? analysis : undefined };
      }),
      isLoading: answers.some(({ isLoading }) => isLoading),
      fault: answers.find(({ failureReason }) => failureReason !== null)?.failureReason ?? null,
    }),
  });
}
