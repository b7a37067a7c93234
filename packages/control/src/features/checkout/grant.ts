import type { Mode } from "@tollgate/core/event";
import type { ControlDb } from "@tollgate/storage/database/schema";

export interface NewGrant {
  readonly id: string;
  readonly orgId: string;
  readonly mode: Mode;
  readonly count: number;
  /** The same reference grants once. */
  readonly reference: string;
  readonly grantedBy: string;
  readonly createdAtMs: number;
}

/** False: this reference was already granted, and nothing was added. */
export async function grant(db: ControlDb, given: NewGrant): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("verification_grants")
    .values({
      id: given.id,
      org_id: given.orgId,
      mode: given.mode,
      count: given.count,
      reference: given.reference,
      granted_by: given.grantedBy,
      created_at: given.createdAtMs,
    })
    .onConflict(conflict => conflict.columns(["org_id", "mode", "reference"]).doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}
