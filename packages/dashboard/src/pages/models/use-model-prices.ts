import { useQueries } from "@tanstack/react-query";
import type { Client } from "@tollgate/sdk/client";
import { ClientError } from "@tollgate/sdk/client-error";
import { useScopedClient } from "../../data/scope.tsx";
import { operationKey } from "../../data/use-operation.ts";
import type { ModelPrice } from "./model-columns.tsx";

/** Present prices by model; null: the price list has none. Absent: still loading. */
export function useModelPrices(models: readonly string[]): ReadonlyMap<string, ModelPrice | null> {
  const { scope, client } = useScopedClient();
  return useQueries({
    queries: models.map(model => ({
      queryKey: operationKey(scope, "models.compare", { current_model: model, price: true }),
      queryFn: () => readPrice(client, model),
      // Calls do not change prices.
      meta: { isLive: false },
    })),
    combine: answers =>
      new Map(
        answers.flatMap(({ data }, index) => (data === undefined ? [] : [[models[index] ?? "", data]])),
      ),
  });
}

async function readPrice(client: Client, model: string): Promise<ModelPrice | null> {
  try {
    const { current_model_info } = await client.call("models.compare", { current_model: model });
    return current_model_info;
  } catch (fault) {
    // A model that the price list does not have is refused as an invalid input.
    if (fault instanceof ClientError && fault.status === 400) return null;
    throw fault;
  }
}
