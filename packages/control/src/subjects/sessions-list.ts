import { visibleWindow } from "@tollgate/core/limits/history-window";
import type { Handler } from "../kernel/handler.ts";
import { nextCursorOf, positionOfCursor } from "../kernel/next-cursor.ts";
import { toSubject } from "./to-subject.ts";

export const sessionsList: Handler<"sessions.list"> = async (context, input) => {
  const window = visibleWindow(input, context.organization.tier, context.now());
  const after = positionOfCursor(context, "sessions", input.cursor);
  const page = await context.readModel.sessions(context.scope, window, input.limit, after);
  return {
    sessions: page.rows.map(row => ({ id: row.key, ...toSubject(row) })),
    next_cursor: nextCursorOf(context, "sessions", page.next),
  };
};
