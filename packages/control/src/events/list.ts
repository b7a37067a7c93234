import type { Handler } from "../kernel/handler.ts";
import { nextCursorOf, positionOfCursor } from "../kernel/next-cursor.ts";
import { eventFilter } from "./event-filter.ts";
import { agentIds, toListedEvent } from "./to-listed-event.ts";

export const eventsList: Handler<"events.list"> = async (context, input) => {
  const filter = await eventFilter(context, input);
  const after = positionOfCursor(context, "events", input.cursor);
  const page = await context.readModel.events(context.scope, filter, input.limit, after);
  const ids = await agentIds(context, page.rows);
  return {
    events: page.rows.map(row => toListedEvent(row, ids)),
    next_cursor: nextCursorOf(context, "events", page.next),
  };
};
