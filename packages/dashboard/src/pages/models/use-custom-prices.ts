import { useMemo } from "react";
import { useOperation } from "../../data/use-operation.ts";
import type { CustomPrice } from "./model-columns.tsx";

/** The organization's own prices in force. */
export function useCustomPrices(): (provider: string | null, model: string) => CustomPrice | undefined {
  const { data } = useOperation("prices.overrides.list", {}, { isLive: false });
  return useMemo(() => {
    // Newest first: the last to be put in would be the oldest.
    const prices = new Map(
      data?.overrides.toReversed().map(({ provider, model, prices }) => [`${provider} ${model}`, prices]),
    );
    return (provider, model) => prices.get(`${provider} ${model.toLowerCase()}`);
  }, [data]);
}
