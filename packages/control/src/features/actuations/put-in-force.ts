import { lockOrganization } from "@tollgate/storage/config/lock-organization";
import { fromRow } from "@tollgate/storage/database/from-row";
import type { ControlTransaction, StoredRow } from "@tollgate/storage/database/schema";
import { toScope } from "@tollgate/storage/ledger/scope";
import type { Control } from "../../kernel/context.ts";
import type { Cause } from "./cause-of.ts";
import { recordActuation } from "./record-actuation.ts";

/** Makes the gateway obey an optimization, instead of any earlier one of its type and agent. */
export async function putInForce(
  transaction: ControlTransaction,
  parts: Pick<Control, "engine" | "newId" | "now">,
  row: StoredRow<"optimizations">,
  cause: Cause,
): Promise<void> {
  // Of two concurrent applications, the second replaces the first.
  await lockOrganization(transaction, parts.engine, row.org_id);
  await transaction
    .updateTable("optimizations")
    .set({ undone_at: row.applied_at })
    .where("org_id", "=", row.org_id)
    .where("mode", "=", row.mode)
    .where("agent_id", "=", row.agent_id)
    .where("optimization_type", "=", row.optimization_type)
    .where("undone_at", "is", null)
    .execute();
  await transaction.insertInto("optimizations").values(row).execute();
  await recordActuation(transaction, parts, {
    scope: toScope(row),
    agent: { id: row.agent_id, agentKey: row.agent_key },
    type: fromRow("optimizations", row).optimization_type,
    change: "apply",
    subjectId: row.id,
    cause,
    askedAt: row.applied_at,
  });
}
