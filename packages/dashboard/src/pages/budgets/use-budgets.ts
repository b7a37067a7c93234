import type { Output } from "../../data/use-operation.ts";
import { useOperation } from "../../data/use-operation.ts";

export type Prediction = Output<"predictions.list">["predictions"][number];

/** Predictions that a budget will be used up, by the budget's id. */
export function useExhaustions(): ReadonlyMap<string, Prediction> {
  const active = useOperation("predictions.list", { limit: 200 });
  const seen = useOperation("predictions.list", { status: "acknowledged", limit: 200 });
  const all = [...(active.data?.predictions ?? []), ...(seen.data?.predictions ?? [])];
  return new Map(
    all.flatMap(prediction =>
      prediction.budget_id === null ? [] : [[prediction.budget_id, prediction] as const],
    ),
  );
}

/** Operations whose answers depend on budgets. */
export const budgetReads = [
  "budgets.list",
  "budgets.get",
  "budgets.status",
  "predictions.list",
  "alerts.list",
  "loop_views.actuations",
] as const;
