import type { webhooksDelete as operation } from "@tollgate/core/contract/webhooks-delete";
import type { Handler } from "./handler.ts";
import { notFound } from "./not-found.ts";

export const webhooksDelete: Handler<typeof operation> = async ({ db, scope }, { id }) => {
  const { numDeletedRows } = await db
    .deleteFrom("webhooks")
    .where("org_id", "=", scope.orgId)
    .where("mode", "=", scope.mode)
    .where("id", "=", id)
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw notFound("webhook");
  return undefined;
};
