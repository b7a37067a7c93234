import { historyStart } from "@tollgate/core/history-window";
import type { SubjectTotals } from "@tollgate/storage/read-model/queries";
import type { Context } from "../context.ts";

/** A customer's totals are of their whole life; a tier with less history sees the days that it includes. */
export async function customerWithinHistory(
  context: Context,
  customer: SubjectTotals,
): Promise<SubjectTotals> {
  const now = context.now();
  const from = historyStart(context.organization.tier, now);
  if (customer.first_at >= from) return customer;
  const days = await context.readModel.customerDays(context.scope, customer.key, { from, to: now + 1 });
  const sums = { calls: 0, errors: 0, input_tokens: 0, output_tokens: 0, cost_microcents: 0 };
  for (const day of days) {
    sums.calls += day.calls;
    sums.errors += day.errors;
    sums.input_tokens += day.input_tokens;
    sums.output_tokens += day.output_tokens;
    sums.cost_microcents += day.cost_microcents;
  }
  const firstDay = days.find(day => day.calls > 0)?.day ?? from;
  return { ...customer, ...sums, first_at: Math.max(firstDay, from) };
}
