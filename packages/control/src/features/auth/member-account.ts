import type { Identity } from "./create-identity.ts";
import { normalEmail } from "./stored-accounts.ts";

/** The account of an organization's member; otherwise the first one of the address. Resolves with the user id. */
export async function memberAccount(
  { db, accounts }: Identity,
  orgId: string,
  email: string,
): Promise<string | undefined> {
  const address = normalEmail(email);
  const member = await db
    .selectFrom("members")
    .select("user_id")
    .where("org_id", "=", orgId)
    .where("email", "=", address)
    .executeTakeFirst();
  return member?.user_id ?? (await accounts.findByEmail(address))?.id;
}
