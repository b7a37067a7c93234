import type { BudgetCourse } from "@tollgate/core/predictions/fleet-limits";
import type { CostSeries } from "@tollgate/core/predictions/usage-series";
import { DAY_MS } from "@tollgate/core/time/durations";
import { startOfDay } from "@tollgate/core/time/start-of-day";
import type { Scope } from "@tollgate/storage/ledger/scope";
import type { Control } from "../../kernel/context.ts";

/** For the autocorrelation of hours. */
const HOURS_BEFORE_MS = 7 * DAY_MS;

/** The costs of a key or a customer, as far as the burn rate of its budget needs them. */
export async function readBudgetSeries(
  { readModel }: Pick<Control, "readModel">,
  scope: Scope,
  { keyId, customerId, period, countsFrom }: BudgetCourse,
  nowMs: number,
): Promise<CostSeries> {
  const of = {
    ...(keyId === null ? {} : { keyId }),
    ...(customerId === null ? {} : { customerId }),
  };
  const to = nowMs + 1;
  if (period === "monthly") {
    const from = startOfDay(countsFrom);
    return { hours: [], days: await readModel.costSeries(scope, "day", { from, to }, of) };
  }
  const from = startOfDay(countsFrom) - HOURS_BEFORE_MS;
  return { hours: await readModel.costSeries(scope, "hour", { from, to }, of), days: [] };
}
