import type { Engine } from "../database/open-control-database.ts";
import type { ControlTransaction } from "../database/schema.ts";

/**
 * Locks the organization until the end of the transaction, so that concurrent changes see each other. SQLite has a
 * single writer anyway.
 */
export async function lockOrganization(
  transaction: ControlTransaction,
  engine: Engine,
  orgId: string,
): Promise<void> {
  if (engine !== "postgres") return;
  await transaction.selectFrom("organizations").select("id").where("id", "=", orgId).forUpdate().execute();
}
