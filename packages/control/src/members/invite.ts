import { fail } from "@tollgate/core/errors";
import { digestOf } from "@tollgate/storage/config/api-key";
import { newInvitationCode } from "../auth/invitation.ts";
import type { Handler } from "../kernel/handler.ts";
import { requireLiveKey } from "./guard.ts";
import { shownMember } from "./to-member.ts";

/**
 * The same answer for every address, whether or not it has an account on this installation. No account is created or
 * changed before somebody accepts with the code.
 */
export const membersInvite: Handler<"members.invite"> = async (context, { email, role }) => {
  requireLiveKey(context);
  const { db, organization } = context;
  const code = newInvitationCode();
  const member = {
    id: crypto.randomUUID(),
    org_id: organization.id,
    user_id: null,
    email,
    role,
    status: "invited",
    invitation: digestOf(code),
    created_at: context.now(),
  };
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("members")
    .values(member)
    .onConflict(conflict => conflict.columns(["org_id", "email"]).doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows === 0n) {
    throw fail("invalid_request", "email: is already a member of the organization, or already invited");
  }
  return { ...shownMember(member), accept_url: `${context.publicUrl}/welcome?invitation=${code}` };
};
