import type { Role } from "@tollgate/core/contract/operation";
import { fail } from "@tollgate/core/errors";
import type { Identity } from "./create-identity.ts";
import { normalEmail } from "./stored-accounts.ts";

export interface NewUser {
  readonly orgId: string;
  readonly email: string;
  readonly role: Role;
}

/**
 * For whoever runs the installation: makes the account, if need be, and its membership. Where sign-in is external
 * the identity provider has the accounts, and only the invitation is made. Somebody who is a member already stays so,
 * with the role that is asked for.
 */
export async function createUser(identity: Identity, user: NewUser): Promise<void> {
  const { db, accounts } = identity;
  const email = normalEmail(user.email);
  const organization = await db
    .selectFrom("organizations")
    .select("id")
    .where("id", "=", user.orgId)
    .executeTakeFirst();
  if (!organization) throw fail("not_found", "There is no such organization");
  const account = accounts.external
    ? null
    : ((await accounts.findByEmail(email)) ?? (await accounts.create(email)));
  const userId = account?.id ?? null;
  await db
    .insertInto("members")
    .values({
      id: crypto.randomUUID(),
      org_id: user.orgId,
      user_id: userId,
      email,
      role: user.role,
      status: "invited",
      created_at: Date.now(),
    })
    .onConflict(conflict =>
      conflict
        .columns(["org_id", "email"])
        .doUpdateSet(userId === null ? { role: user.role } : { role: user.role, user_id: userId }),
    )
    .execute();
}
