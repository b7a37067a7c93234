import type { eventOperations } from "@tollgate/core/contract/events";
import { fail, type TollgateError } from "@tollgate/core/errors";
import { historyStart } from "@tollgate/core/limits/history-window";
import type { Context } from "../../kernel/context.ts";
import type { Handlers } from "../../kernel/handler.ts";
import { historyBeginsAt } from "../../kernel/history-begins-at.ts";
import { nextCursorOf, positionOfCursor } from "../../kernel/next-cursor.ts";
import { notFound } from "../../kernel/not-found.ts";
import { eventFilter } from "./event-filter.ts";
import { eventsExport } from "./export.ts";
import { agentIds, toListedEvent } from "./to-listed-event.ts";

/** Says where history begins, because the event may be older. */
async function eventNotFound(context: Context): Promise<TollgateError> {
  const beginsAt = await historyBeginsAt(context);
  if (beginsAt === null) return notFound("event");
  return fail("not_found", `There is no such event; events before ${beginsAt} have been removed`);
}

export const eventHandlers: Handlers<typeof eventOperations> = {
  "events.cost": async (context, { id }) => {
    const found = await context.readModel.explainedEvent(context.scope, id);
    const start = historyStart(context.organization.tier, context.now());
    if (found === null || found.event.created_at < start) throw await eventNotFound(context);
    return found.explanation;
  },

  "events.export": eventsExport,

  "events.get": async (context, { id }) => {
    const found = await context.readModel.event(context.scope, id);
    const start = historyStart(context.organization.tier, context.now());
    if (found === null || found.event.created_at < start) throw await eventNotFound(context);
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
      history_begins_at: await historyBeginsAt(context),
    };
  },
};
