import { useQueries } from "@tanstack/react-query";
import { useScopedClient } from "../../data/scope.tsx";
import { operationKey } from "../../data/use-operation.ts";
import type { ModelPrice } from "./model-columns.tsx";

/** Present prices by model; null: the price list has none. Absent: still loading. */
export function useModelPrices(models: readonly string[]): ReadonlyMap<string, ModelPrice | null> {
  const { scope, client } = useScopedClient();
  return useQueries({
    queries: models.map(model => ({
      queryKey: operationKey(scope, "models.compare", { current_model: model }),
      queryFn: () => client.call("models.compare", { current_model: model }),
      // Calls do not change prices.
      meta: { isLive: false },
    })),
    combine: answers =>
      new Map(
        answers.flatMap(({ data }, index) =>
          data === undefined ? [] : [[models[index] ?? "", data.current_model_info]],
        ),
      ),
  });
}
