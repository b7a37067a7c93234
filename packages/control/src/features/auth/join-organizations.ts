import type { ControlDb } from "@tollgate/storage/database/schema";

interface Joining {
  readonly userId: string;
  readonly email: string;
  /** The identity provider vouches for the address. */
  readonly isVouchedFor: boolean;
  readonly external: boolean;
  /** By a one-time link, which ends earlier passwords and sessions. */
  readonly byLink: boolean;
  readonly now: number;
  readonly newId: () => string;
}

/**
 * What a sign-in does with invitations. One for a specific account is fulfilled by the operator's one-time link, not
 * by the password, which somebody else may have set. One by e-mail alone is fulfilled if an identity provider vouches
 * for the address; with passwords nobody vouches, so the person accepts it with its code.
 */
export async function joinOrganizations(
  db: ControlDb,
  /** Records what is accepted. */
  acceptances: ControlDb,
  person: Joining,
): Promise<void> {
  const invited = db.selectFrom("members").select("id").where("status", "=", "invited");
  if (person.byLink || person.external) {
    await accept(acceptances, person, await invited.where("user_id", "=", person.userId).execute());
  }
  if (!person.external) return;
  if (person.isVouchedFor) {
    const byEmail = invited.where("email", "=", person.email).where("user_id", "is", null);
    await accept(acceptances, person, await byEmail.execute());
  }
  await becomeFirstOwner(db, person);
}

/** One by one: each is recorded in its own organization. */
async function accept(
  acceptances: ControlDb,
  { userId }: Joining,
  invitations: readonly { readonly id: string }[],
): Promise<void> {
  for (const { id } of invitations) {
    await acceptances
      .updateTable("members")
      .set({ status: "active", user_id: userId })
      .where("id", "=", id)
      .where("status", "=", "invited")
      .where(({ or, eb }) => or([eb("user_id", "=", userId), eb("user_id", "is", null)]))
      .execute();
  }
}

/** On a fresh installation nobody could invite anybody, so the first person to sign in owns its oldest organization. */
async function becomeFirstOwner(db: ControlDb, person: Joining): Promise<void> {
  if (await hasMembers(db)) return;
  await db.transaction().execute(async transaction => {
    const oldest = await transaction
      .selectFrom("organizations")
      .select(["id", "name"])
      .orderBy("created_at")
      .orderBy("id")
      .limit(1)
      .executeTakeFirst();
    if (!oldest) return;
    // Locks the row on both engines: of two concurrent sign-ins the second waits here and then finds a member.
    await transaction
      .updateTable("organizations")
      .set({ name: oldest.name })
      .where("id", "=", oldest.id)
      .execute();
    if (await hasMembers(transaction)) return;
    await transaction
      .insertInto("members")
      .values({
        id: person.newId(),
        org_id: oldest.id,
        user_id: person.userId,
        email: person.email,
        role: "owner",
        status: "active",
        created_at: person.now,
      })
      .execute();
  });
}

async function hasMembers(db: ControlDb): Promise<boolean> {
  return (await db.selectFrom("members").select("id").limit(1).executeTakeFirst()) !== undefined;
}
