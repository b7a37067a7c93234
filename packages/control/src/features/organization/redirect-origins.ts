import type { ControlDb, ControlTransaction } from "@tollgate/storage/database/schema";

/** The origins that a checkout may redirect to, in alphabetical order. */
export async function redirectOriginsOf(db: ControlDb, orgId: string): Promise<string[]> {
  const rows = await db.selectFrom("redirect_origins").select("origin").where("org_id", "=", orgId).execute();
  return rows.map(({ origin }) => origin).sort();
}

/** Replaces them all. */
export async function setRedirectOrigins(
  transaction: ControlTransaction,
  orgId: string,
  origins: readonly string[],
): Promise<void> {
  await transaction.deleteFrom("redirect_origins").where("org_id", "=", orgId).execute();
  if (origins.length === 0) return;
  await transaction
    .insertInto("redirect_origins")
    .values(origins.map(origin => ({ org_id: orgId, origin })))
    .onConflict(conflict => conflict.doNothing())
    .execute();
}
