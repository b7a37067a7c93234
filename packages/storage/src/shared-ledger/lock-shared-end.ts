import { sql } from "kysely";
import type { ControlTransaction, StoredRow } from "../database/schema.ts";

/** While a transaction is open, every node that ships waits. */
const MAX_IDLE_MS = 5000;

/** Locks both ends of the shared ledger until the commit: one transaction at a time appends to it or removes from it. */
export async function lockSharedEnd(
  transaction: ControlTransaction,
): Promise<StoredRow<"shared_ledger_end">> {
  // One that freezes here must not stop the others.
  await sql`SET LOCAL idle_in_transaction_session_timeout = ${sql.lit(MAX_IDLE_MS)}`.execute(transaction);
  return await transaction.selectFrom("shared_ledger_end").selectAll().forUpdate().executeTakeFirstOrThrow();
}
