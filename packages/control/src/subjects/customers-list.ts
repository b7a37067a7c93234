import { visibleWindow } from "@tollgate/core/limits/history-window";
import type { Handler } from "../kernel/handler.ts";
import { nextCursorOf, positionOfCursor } from "../kernel/next-cursor.ts";
import { toSubject } from "./to-subject.ts";

export const customersList: Handler<"customers.list"> = async (context, input) => {
  const window = visibleWindow(input, context.organization.tier, context.now());
  const after = positionOfCursor(context, "customers", input.cursor);
  const page = await context.readModel.customers(context.scope, window, input.limit, after);
  return {
    customers: page.rows.map(row => ({ id: row.key, ...toSubject(row) })),
    next_cursor: nextCursorOf(context, "customers", page.next),
  };
};
