import { MICROCENTS_PER_CENT } from "@tollgate/core/money/money";
import type { Output } from "../../data/use-operation.ts";

type Outcome = Output<"outcomes.list">["outcomes"][number];

/** Value of outcomes in microcents; failed ones count as 0. null: none of them has a value. */
export function outcomeValueOf(outcomes: readonly Pick<Outcome, "success" | "value_cents">[]): number | null {
  const valued = outcomes.flatMap(({ success, value_cents }) =>
    value_cents === null ? [] : [success === false ? 0 : value_cents],
  );
  return valued.length === 0 ? null : valued.reduce((sum, cents) => sum + cents, 0) * MICROCENTS_PER_CENT;
}
