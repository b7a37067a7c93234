import { fail } from "@tollgate/core/errors";
import { lockOrganization } from "@tollgate/storage/config/lock-organization";
import type { ControlTransaction } from "@tollgate/storage/database/schema";
import type { Context } from "../../kernel/context.ts";

/**
 * Runs `change` if an active owner other than this member remains. The organization's row is locked, or two owners
 * who demote each other at the same moment would leave none.
 */
export async function keepingAnOwner<T>(
  context: Context,
  memberId: string,
  change: (transaction: ControlTransaction) => Promise<T>,
): Promise<T> {
  const orgId = context.organization.id;
  return await context.db.transaction().execute(async transaction => {
    await lockOrganization(transaction, context.engine, orgId);
    const owners = await transaction
      .selectFrom("members")
      .select("id")
      .where("org_id", "=", orgId)
      .where("role", "=", "owner")
      .where("status", "=", "active")
      .execute();
    const isLast = owners.length === 1 && owners[0]?.id === memberId;
    if (isLast) throw fail("invalid_request", "This is the last owner: make somebody else an owner first");
    return await change(transaction);
  });
}
