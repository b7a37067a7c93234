import type { sessionsGet as operation } from "@tollgate/core/contract/sessions-get";
import { historyStart } from "@tollgate/core/history-window";
import type { Handler } from "./handler.ts";
import { notFound } from "./not-found.ts";
import { toSubject } from "./to-subject.ts";

export const sessionsGet: Handler<typeof operation> = async (context, { id }) => {
  const session = await context.readModel.session(context.scope, id);
  if (session === null || session.last_at < historyStart(context.organization.tier, context.now())) {
    throw notFound("session");
  }
  return { id: session.key, ...toSubject(session) };
};
