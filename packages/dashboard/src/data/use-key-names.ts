import { useMemo } from "react";
import { useOperation } from "./use-operation.ts";

/** API keys by id: what people call them. Those beyond the first page stay unnamed. */
export function useKeyNames({ enabled = true } = {}): ReadonlyMap<string, string> {
  const { data } = useOperation("keys.list", { limit: 500 }, { enabled });
  return useMemo(
    () => new Map(data?.keys.map(({ id, name, last_four }) => [id, name ?? `…${last_four}`] as const)),
    [data],
  );
}
