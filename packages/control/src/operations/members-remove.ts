import type { membersRemove as contract } from "@tollgate/core/contract/members-remove";
import { fail } from "@tollgate/core/errors";
import type { Handler } from "./handler.ts";
import { keepingAnOwner, requireLiveKey } from "./members-guard.ts";

/** The account stays: it may belong elsewhere. Its next request here is refused. */
export const membersRemove: Handler<typeof contract> = async (context, { id }) => {
  requireLiveKey(context);
  const removed = await keepingAnOwner(context, id, transaction =>
    transaction
      .deleteFrom("members")
      .where("id", "=", id)
      .where("org_id", "=", context.organization.id)
      .returning("id")
      .executeTakeFirst(),
  );
  if (!removed) throw fail("not_found", "There is no such member");
};
