import { type CostKind, costKinds } from "@tollgate/core/money/cost-kinds";

export type CostKindColumn = `${CostKind}_microcents`;

/** A column for each kind of cost, in facts and rollups. The rest of `cost_microcents` is of no known kind. */
export const costKindColumns: readonly CostKindColumn[] = costKinds.map(
  kind => `${kind}_microcents` as const,
);
