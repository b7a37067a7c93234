import { fromRow } from "@tollgate/storage/database/from-row";
import type { ControlDb, TableRow } from "@tollgate/storage/database/schema";

export type DemoRow = TableRow<"demos">;

/** How an organization of sample data is named. */
export const DEMO_NAME = "Demo";

/** The demo of an organization, or the one that the organization itself is; null: there is none. */
export async function findDemo(db: ControlDb, orgId: string): Promise<DemoRow | null> {
  const row = await db
    .selectFrom("demos")
    .selectAll()
    .where("status", "<>", "removed")
    .where(({ or, eb }) => or([eb("home_org_id", "=", orgId), eb("org_id", "=", orgId)]))
    .executeTakeFirst();
  return row === undefined ? null : fromRow("demos", { ...row, id: row.org_id });
}
