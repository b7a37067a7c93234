import type { webhooksRegister as operation } from "@tollgate/core/contract/webhooks-register";
import type { Handler } from "./handler.ts";
import { notFound } from "./not-found.ts";
import { toWebhook } from "./to-webhook.ts";

export const webhooksRegister: Handler<typeof operation> = async (context, input) => {
  const { db, scope } = context;
  // The path names an organization, but never decides: that is the credential's.
  if (input.orgId !== scope.orgId) throw notFound("organization");
  const row = {
    id: context.newId(),
    org_id: scope.orgId,
    mode: scope.mode,
    url: input.url,
    events: JSON.stringify([...new Set(input.events)]),
    secret: input.secret,
    created_at: context.now(),
  };
  await db.insertInto("webhooks").values(row).execute();
  return { ...toWebhook(row), secret: row.secret };
};
