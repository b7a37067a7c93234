import { historyStart } from "@tollgate/core/limits/history-window";
import type { Handler } from "../kernel/handler.ts";
import { notFound } from "../kernel/not-found.ts";
import { toSubject } from "./to-subject.ts";

export const sessionsGet: Handler<"sessions.get"> = async (context, { id }) => {
  const visibleFrom = historyStart(context.organization.tier, context.now());
  const session = await context.readModel.session(context.scope, id, visibleFrom);
  if (session === null) throw notFound("session");
  return { id: session.key, ...toSubject(session) };
};
