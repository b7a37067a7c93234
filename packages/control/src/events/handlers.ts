import type { eventOperations } from "@tollgate/core/contract/events";
import { historyStart } from "@tollgate/core/limits/history-window";
import type { Handlers } from "../kernel/handler.ts";
import { nextCursorOf, positionOfCursor } from "../kernel/next-cursor.ts";
import { notFound } from "../kernel/not-found.ts";
import { eventFilter } from "./event-filter.ts";
import { eventsExport } from "./export.ts";
import { agentIds, toListedEvent } from "./to-listed-event.ts";

export const eventHandlers: Handlers<typeof eventOperations> = {
  "events.cost": async (context, { id }) => {
    const found = await context.readModel.explainedEvent(context.scope, id);
    const start = historyStart(context.organization.tier, context.now());
    if (found === null || found.event.created_at < start) throw notFound("event");
    return found.explanation;
  },

  "events.export": eventsExport,

  "events.get": async (context, { id }) => {
    const found = await context.readModel.event(context.scope, id);
    const start = historyStart(context.organization.tier, context.now());
    if (found === null || found.event.created_at < start) throw notFound("event");
    return toListedEvent(found, await agentIds(context, [found]));
  },

  "events.list": async (context, input) => {
    const filter = await eventFilter(context, input);
    const after = positionOfCursor(context, "events", input.cursor);
    const page = await context.readModel.events(context.scope, filter, input.limit, after);
    const ids = await agentIds(context, page.rows);
    return {
      events: page.rows.map(row => toListedEvent(row, ids)),
      next_cursor: nextCursorOf(context, "events", page.next),
    };
  },
};
