import { historyStart } from "@tollgate/core/limits/history-window";
import type { Handler } from "../kernel/handler.ts";
import { notFound } from "../kernel/not-found.ts";

export const eventsCost: Handler<"events.cost"> = async (context, { id }) => {
  const found = await context.readModel.explainedEvent(context.scope, id);
  const start = historyStart(context.organization.tier, context.now());
  if (found === null || found.event.created_at < start) throw notFound("event");
  return found.explanation;
};
