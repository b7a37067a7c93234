import type { Output } from "../../data/use-operation.ts";

type CostKinds = Pick<
  NonNullable<Output<"analytics.breakdown">["groups"][number]["cost_kinds"]>,
  "input" | "cache_read" | "cache_write"
>;

/** Of what the input cost, the share that was read from a cache. null: it cost nothing that is known. */
export function cacheShareOf(kinds: CostKinds | null): number | null {
  if (kinds === null) return null;
  const input = kinds.input + kinds.cache_read + kinds.cache_write;
  return input === 0 ? null : kinds.cache_read / input;
}
