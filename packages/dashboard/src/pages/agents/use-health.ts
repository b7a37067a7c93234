import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useScopedClient } from "../../data/scope.tsx";
import { type Output, operationKey } from "../../data/use-operation.ts";

export type Health = Output<"health_scores.list">["scores"][number];

const PAGE_SIZE = 1000;
/** Of a larger fleet, the scores of the first agents by key are known here. */
const MAX_PAGES = 12;

/** Health by agent id. Scores are of 30 days: calls of a moment do not change them. */
export function useHealth(): UseQueryResult<ReadonlyMap<string, Health>> {
  const { scope, client } = useScopedClient();
  return useQuery({
    queryKey: operationKey(scope, "health_scores.list", {}),
    meta: { isLive: false },
    queryFn: async () => {
      const found = new Map<string, Health>();
      for (let page = 0; page < MAX_PAGES; page++) {
        const offset = page * PAGE_SIZE;
        const { scores, agent_count } = await client.call("health_scores.list", { limit: PAGE_SIZE, offset });
        for (const score of scores) found.set(score.agent_id, score);
        if (offset + PAGE_SIZE >= agent_count) break;
      }
      return found;
    },
  });
}
