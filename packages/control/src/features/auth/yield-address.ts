import type { ControlDb } from "@tollgate/storage/database/schema";
import type { IdentitySchema } from "./migrate-identity.ts";
import { newSecondName } from "./second-name.ts";
import { normalEmail } from "./stored-accounts.ts";

/**
 * A person whose address the identity provider vouches for signs in. An account that has it without being vouched for
 * keeps it as a label only: otherwise whoever claimed the address first would keep its owner from signing in.
 */
export async function yieldAddress(db: ControlDb, claimed: string, subject: string): Promise<void> {
  const address = normalEmail(claimed);
  const tables = db.withTables<Pick<IdentitySchema, "auth_users" | "auth_accounts">>();
  const holder = await tables
    .selectFrom("auth_users")
    .select(["id", "emailVerified"])
    .where("email", "=", address)
    .executeTakeFirst();
  if (holder === undefined || holder.emailVerified) return;
  const own = await tables
    .selectFrom("auth_accounts")
    .select("id")
    .where("userId", "=", holder.id)
    .where("accountId", "=", subject)
    .executeTakeFirst();
  if (own !== undefined) return;
  await tables
    .updateTable("auth_users")
    .set({ email: newSecondName(), address })
    .where("id", "=", holder.id)
    .execute();
}
