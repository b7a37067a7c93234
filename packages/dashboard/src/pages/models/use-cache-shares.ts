import { useQueries } from "@tanstack/react-query";
import { useRef } from "react";
import { breakdownFilters } from "../../data/breakdown-filters.ts";
import { useScopedClient } from "../../data/scope.tsx";
import { type Output, operationKey } from "../../data/use-operation.ts";
import { useView } from "../../data/view.tsx";

/**
 * By model: of what its input cost, the share that was read from a cache. null: its input cost nothing that is known.
 * Absent: still loading.
 */
export function useCacheShares(models: readonly string[]): ReadonlyMap<string, number | null> {
  const { scope, client } = useScopedClient();
  const { range, filters } = useView();
  const kept = useRef(new Map<string, number | null>());
  return useQueries({
    queries: models.map(model => {
      const input = {
        ...breakdownFilters(filters),
        group_by: "cost_kind",
        model,
        from: range.from,
        to: range.to,
        limit: 25,
      } as const;
      return {
        queryKey: operationKey(scope, "analytics.breakdown", input),
        queryFn: () => client.call("analytics.breakdown", input),
      };
    }),
    combine: answers => {
      const shares = new Map<string, number | null>();
      for (const [index, { data }] of answers.entries()) {
        const model = models[index] ?? "";
        const key = `${range.lengthMs} ${JSON.stringify(filters)} ${model}`;
        if (data !== undefined) kept.current.set(key, cacheShareOf(data.groups));
        const share = kept.current.get(key);
        if (share !== undefined) shares.set(model, share);
      }
      return shares;
    },
  });
}

export function cacheShareOf(
  groups: readonly Pick<Output<"analytics.breakdown">["groups"][number], "key" | "cost_microcents">[],
): number | null {
  const sumOf = (pattern: RegExp) =>
    groups.reduce(
      (sum, { key, cost_microcents }) => (pattern.test(key ?? "") ? sum + cost_microcents : sum),
      0,
    );
  const input = sumOf(/^(input|cache_)/);
  return input === 0 ? null : sumOf(/^cache_read/) / input;
}
