import type { customersList as operation } from "@tollgate/core/contract/customers-list";
import { historyWindow } from "@tollgate/core/history-window";
import { customerWithinHistory } from "./customer-history.ts";
import type { Handler } from "./handler.ts";
import { nextCursorOf } from "./next-cursor.ts";
import { toSubject } from "./to-subject.ts";

export const customersList: Handler<typeof operation> = async (context, input) => {
  const window = historyWindow(input, context.organization.tier, context.now());
  const page = await context.readModel.customers(context.scope, window, input.limit, input.cursor);
  const rows = await Promise.all(page.rows.map(row => customerWithinHistory(context, row)));
  return {
    customers: rows.map(row => ({ id: row.key, ...toSubject(row) })),
    next_cursor: nextCursorOf(page.next),
  };
};
