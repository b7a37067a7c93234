import type { RollbackReason } from "@tollgate/core/decisions/vocabulary";
import { fromRow } from "@tollgate/storage/database/from-row";
import type { ControlTransaction, StoredRow } from "@tollgate/storage/database/schema";
import { toScope } from "@tollgate/storage/ledger/scope";
import type { Control } from "../../kernel/context.ts";
import type { Cause } from "./cause-of.ts";
import { markRolledBack, recordActuation } from "./record-actuation.ts";

/** Resolves with the id of its actuation; null: it was no longer in force, and nothing has changed. */
export async function undoOptimization(
  transaction: ControlTransaction,
  parts: Pick<Control, "newId" | "now">,
  row: StoredRow<"optimizations">,
  cause: Cause,
  reason: RollbackReason,
): Promise<string | null> {
  const at = parts.now();
  const { numUpdatedRows } = await transaction
    .updateTable("optimizations")
    .set({ undone_at: at })
    .where("id", "=", row.id)
    // Undoing again keeps the first time, when the effect ended.
    .where("undone_at", "is", null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return null;
  const scope = toScope(row);
  const type = fromRow("optimizations", row).optimization_type;
  await markRolledBack(transaction, {
    scope,
    type,
    change: "apply",
    subjectId: row.id,
    reason,
    by: cause.actor,
    at,
  });
  return await recordActuation(transaction, parts, {
    scope,
    agent: { id: row.agent_id, agentKey: row.agent_key },
    type,
    change: "undo",
    subjectId: row.id,
    cause,
    askedAt: at,
  });
}
