import { useQueries } from "@tanstack/react-query";
import type { Client } from "@tollgate/sdk/client";
import { ClientError } from "@tollgate/sdk/client-error";
import { useScopedClient } from "../../data/scope.tsx";
import { type Output, operationKey } from "../../data/use-operation.ts";
import type { ModelPrice } from "./model-columns.tsx";

/** Present prices by model; null: the price list has none. Absent: still loading. */
export function useModelPrices(models: readonly string[]): ReadonlyMap<string, ModelPrice | null> {
  const { scope, client } = useScopedClient();
  return useQueries({
    queries: models.map(model => ({
      // The operation's own key, so that a comparison with one of them is already known.
      queryKey: operationKey(scope, "models.compare", { current_model: model }),
      queryFn: () => compareWith(client, model),
      // Calls do not change prices.
      meta: { isLive: false },
    })),
    combine: answers =>
      new Map(
        answers.flatMap(({ data }, index) =>
          data === undefined ? [] : [[models[index] ?? "", data?.current_model_info ?? null]],
        ),
      ),
  });
}

async function compareWith(client: Client, model: string): Promise<Output<"models.compare"> | null> {
  try {
    return await client.call("models.compare", { current_model: model });
  } catch (fault) {
    // A model that the price list does not have is refused as an invalid input.
    if (fault instanceof ClientError && fault.status === 400) return null;
    throw fault;
  }
}
