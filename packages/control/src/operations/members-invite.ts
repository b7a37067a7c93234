import type { membersInvite as contract } from "@tollgate/core/contract/members-invite";
import { fail } from "@tollgate/core/errors";
import type { Context } from "../context.ts";
import type { Handler } from "./handler.ts";
import { requireLiveKey } from "./members-guard.ts";
import { shownMember } from "./members-shown.ts";

/**
 * A link goes only to somebody who had no account, or never used the one that was made for them: any other would hand
 * over somebody's account. They accept for themselves, with an id that only this organization knows: whoever got hold
 * of the account elsewhere does not join with it.
 */
export const membersInvite: Handler<typeof contract> = async (context, { email, role }) => {
  requireLiveKey(context);
  const { db, accounts, organization } = context;
  const known = await accounts.findByEmail(email);
  const member = {
    id: crypto.randomUUID(),
    org_id: organization.id,
    user_id: null,
    email,
    role,
    status: "invited",
    created_at: context.now(),
  };
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("members")
    .values(member)
    .onConflict(conflict => conflict.columns(["org_id", "email"]).doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows === 0n) {
    throw fail("invalid_request", "email: belongs to the organization already, or is invited");
  }
  const shown = shownMember(member);
  // Where an identity provider vouches for the address the next sign-in is enough; not every provider does.
  if (accounts.external || (known && !(await isWaiting(context, known.id)))) {
    return { ...shown, accept_url: `${context.publicUrl}/welcome?invitation=${member.id}` };
  }
  const account = known ?? (await accounts.create(email));
  await db.updateTable("members").set({ user_id: account.id }).where("id", "=", member.id).execute();
  return { ...shown, sign_in_url: await accounts.signInLink(email) };
};

/** Invited before, and never came; or the link grew too old. Nobody uses the account, and it belongs nowhere. */
async function isWaiting({ db, accounts }: Context, userId: string): Promise<boolean> {
  const elsewhere = await db
    .selectFrom("members")
    .select("id")
    .where("user_id", "=", userId)
    .limit(1)
    .executeTakeFirst();
  return elsewhere === undefined && (await accounts.isUnused(userId));
}
