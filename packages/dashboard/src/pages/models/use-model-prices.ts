import { useMemo } from "react";
import { useOperation } from "../../data/use-operation.ts";
import type { ModelPrice } from "./model-columns.tsx";

/** Present prices by model; null: the price list has none. Absent: still loading. */
export function useModelPrices(models: readonly string[]): ReadonlyMap<string, ModelPrice | null> {
  // In one order, because new calls change the order of models, but not their prices.
  const names = models.filter(isListable).toSorted().join(",");
  const { data } = useOperation("models.prices", { models: names }, { enabled: names !== "", isLive: false });
  return useMemo(
    () =>
      new Map([
        ...models.flatMap((name): [string, null][] => (isListable(name) ? [] : [[name, null]])),
        ...(data?.models ?? []).map(({ name, price }): [string, ModelPrice | null] => [name, price]),
      ]),
    [data, models],
  );
}

/** Clients choose the names that calls have; no priced model has a comma in its name. */
function isListable(name: string): boolean {
  return !name.includes(",");
}
