import type { ControlDb } from "../database/schema.ts";

/** Whether an organization is a demo. It has test traffic alone, because it is removed as a whole. */
export async function isDemo(db: ControlDb, orgId: string): Promise<boolean> {
  const row = await db.selectFrom("demos").select("org_id").where("org_id", "=", orgId).executeTakeFirst();
  return row !== undefined;
}
