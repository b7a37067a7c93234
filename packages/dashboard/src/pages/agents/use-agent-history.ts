import { MINUTE_MS } from "@tollgate/core/time/durations";
import { type Output, useOperation } from "../../data/use-operation.ts";
import { useView } from "../../data/view.tsx";
import { bucketsOf, stepOf, type TimeBucket } from "./buckets.ts";

type Part = Output<"analytics.history">["parts"][number];

export interface HistoryPart extends TimeBucket {
  /** undefined: not known, because it is loading, has failed, or is older than the tier's history. */
  readonly analysis: Part | undefined;
}

interface AgentHistory {
  readonly parts: readonly HistoryPart[];
  readonly isLoading: boolean;
  readonly fault: Error | null;
}

/** One agent over the range, part by part, each with its percentiles. */
export function useAgentHistory(agentId: string): AgentHistory {
  const { range } = useView();
  const stepMs = stepOf(range.lengthMs);
  const { data, isLoading, failureReason } = useOperation("analytics.history", {
    agent_id: agentId,
    from: range.from,
    to: range.to,
    step_minutes: stepMs / MINUTE_MS,
  });
  // The first part may be shorter, but begins within the same step.
  const keyOf = (from: string) => String(Math.floor(Date.parse(from) / stepMs) * stepMs);
  const known = new Map(data?.parts.map(part => [keyOf(part.period.from), part]));
  return {
    parts: bucketsOf(range).map(bucket => ({ ...bucket, analysis: known.get(bucket.key) })),
    isLoading,
    fault: failureReason,
  };
}
