import { historyStart, historyWindow } from "@tollgate/core/limits/history-window";
import { groupDays } from "@tollgate/core/time/group-days";
import type { Handler } from "../kernel/handler.ts";
import { notFound } from "../kernel/not-found.ts";
import { toPeriod } from "../kernel/to-period.ts";
import { toSubject } from "./to-subject.ts";

export const customersGet: Handler<"customers.get"> = async (context, input) => {
  const { tier } = context.organization;
  const window = historyWindow(input, tier, context.now());
  const visibleFrom = historyStart(tier, context.now());
  const customer = await context.readModel.customer(context.scope, input.id, visibleFrom);
  if (customer === null) throw notFound("customer");
  const days = await context.readModel.customerDays(context.scope, customer.key, window);
  return {
    id: customer.key,
    ...toSubject(customer),
    period: toPeriod(window),
    by_day: groupDays(days, "day"),
  };
};
