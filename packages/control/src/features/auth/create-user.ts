import type { Role } from "@tollgate/core/contract/operation";
import { fail } from "@tollgate/core/errors";
import { newId } from "@tollgate/storage/config/new-id";
import { fromRow } from "@tollgate/storage/database/from-row";
import type { ControlDb } from "@tollgate/storage/database/schema";
import type { Identity } from "./create-identity.ts";
import { memberAccount } from "./member-account.ts";
import { normalEmail } from "./stored-accounts.ts";

export interface NewUser {
  readonly orgId: string;
  readonly email: string;
  /** null: a member keeps their role; otherwise the first member becomes owner and others admins. */
  readonly role: Role | null;
}

/**
 * For the operator: creates the account if needed, and its membership. Where sign-in is external the identity
 * provider has the accounts, and only the invitation is created. Resolves with the role.
 */
export async function createUser(identity: Identity, user: NewUser): Promise<Role> {
  const { db, accounts, now } = identity;
  const email = normalEmail(user.email);
  const organization = await db
    .selectFrom("organizations")
    .select("id")
    .where("id", "=", user.orgId)
    .executeTakeFirst();
  if (!organization) throw fail("not_found", "There is no such organization");
  const role = await chooseRole(db, { ...user, email });
  const userId = accounts.external
    ? null
    : ((await memberAccount(identity, user.orgId, email)) ?? (await accounts.create(email)).id);
  await db
    .insertInto("members")
    .values({
      id: newId(),
      org_id: user.orgId,
      user_id: userId,
      email,
      role,
      status: "invited",
      created_at: now(),
    })
    .onConflict(conflict =>
      conflict
        .columns(["org_id", "email"])
        .doUpdateSet(userId === null ? { role } : { role, user_id: userId }),
    )
    .execute();
  return role;
}

/** The last owner cannot be demoted, nor the only one who is invited: nobody could appoint another. */
async function chooseRole(db: ControlDb, { orgId, email, role }: NewUser): Promise<Role> {
  const members = await db
    .selectFrom("members")
    .select(["id", "email", "role", "status"])
    .where("org_id", "=", orgId)
    .execute();
  const owners = members.filter(member => member.role === "owner");
  const known = members.find(member => member.email === email);
  const current = known === undefined ? null : fromRow("members", known).role;
  const chosen = role ?? current ?? (owners.length === 0 ? "owner" : "admin");
  const others = owners.filter(owner => owner.email !== email);
  // An invitation may never be accepted, so it does not replace an owner who can sign in.
  const remaining = known?.status === "active" ? others.filter(({ status }) => status === "active") : others;
  if (current === "owner" && chosen !== "owner" && remaining.length === 0) {
    throw fail("invalid_request", "this is the last owner: make somebody else an owner first");
  }
  return chosen;
}
