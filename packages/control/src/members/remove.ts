import { fail } from "@tollgate/core/errors";
import type { ControlSchema } from "@tollgate/storage/database/schema";
import type { Transaction } from "kysely";
import type { Context } from "../kernel/context.ts";
import type { Handler } from "../kernel/handler.ts";
import { keepingAnOwner, requireLiveKey } from "./guard.ts";

/**
 * Ends the member's keys and the membership in one transaction. The account stays, because it may belong to another
 * organization; if it does not, its sessions end too.
 */
export const membersRemove: Handler<"members.remove"> = async (context, { id }) => {
  requireLiveKey(context);
  const removed = await keepingAnOwner(context, id, async transaction => {
    const member = await transaction
      .deleteFrom("members")
      .where("id", "=", id)
      .where("org_id", "=", context.organization.id)
      .returning("user_id")
      .executeTakeFirst();
    if (member?.user_id) await revokeKeys(transaction, context, member.user_id);
    return member;
  });
  if (!removed) throw fail("not_found", "There is no such member");
  if (removed.user_id !== null && !(await belongsElsewhere(context, removed.user_id))) {
    await context.accounts.endSessions(removed.user_id);
  }
};

async function revokeKeys(
  transaction: Transaction<ControlSchema>,
  { organization, now }: Context,
  userId: string,
): Promise<void> {
  await transaction
    .updateTable("api_keys")
    .set({ revoked_at: now() })
    .where("org_id", "=", organization.id)
    .where("created_by_user", "=", userId)
    .where("revoked_at", "is", null)
    .execute();
}

async function belongsElsewhere({ db }: Context, userId: string): Promise<boolean> {
  const found = await db
    .selectFrom("members")
    .select("id")
    .where("user_id", "=", userId)
    .where("status", "=", "active")
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}
