import type { Transaction } from "kysely";
import type { Engine } from "../database/open-control-database.ts";
import type { ControlSchema } from "../database/schema.ts";

/**
 * Until the end of the transaction nobody else decides for this organization: of two at once, the second sees what the
 * first has done. SQLite has one writer anyway.
 */
export async function lockOrganization(
  transaction: Transaction<ControlSchema>,
  engine: Engine,
  orgId: string,
): Promise<void> {
  if (engine !== "postgres") return;
  await transaction.selectFrom("organizations").select("id").where("id", "=", orgId).forUpdate().execute();
}
