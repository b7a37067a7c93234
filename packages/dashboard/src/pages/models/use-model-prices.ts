import { useMemo } from "react";
import { useOperation } from "../../data/use-operation.ts";
import { listableNames } from "./listable-names.ts";
import type { ModelPrice } from "./model-columns.tsx";

/** Present prices by model; null: the price list has none. Absent: still loading. */
export function useModelPrices(models: readonly string[]): ReadonlyMap<string, ModelPrice | null> {
  // In one order, because new calls change the order of models, but not their prices.
  const listed = useMemo(() => listableNames(models), [models]);
  const names = listed.join(",");
  const { data } = useOperation("models.prices", { models: names }, { enabled: names !== "", isLive: false });
  return useMemo(() => {
    const asked = new Set(listed);
    return new Map([
      ...models.flatMap((name): [string, null][] => (asked.has(name) ? [] : [[name, null]])),
      ...(data?.models ?? []).map(({ name, price }): [string, ModelPrice | null] => [name, price]),
    ]);
  }, [data, models, listed]);
}
