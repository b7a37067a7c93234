import { historyStart } from "@tollgate/core/limits/history-window";
import type { Handler } from "../kernel/handler.ts";
import { notFound } from "../kernel/not-found.ts";
import { agentIds, toListedEvent } from "./to-listed-event.ts";

export const eventsGet: Handler<"events.get"> = async (context, { id }) => {
  const found = await context.readModel.event(context.scope, id);
  const start = historyStart(context.organization.tier, context.now());
  if (found === null || found.event.created_at < start) throw notFound("event");
  return toListedEvent(found, await agentIds(context, [found]));
};
