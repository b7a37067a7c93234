import type { ControlDb } from "../database/schema.ts";

/** The organization to which a demo belongs; any other is its own home. */
export async function homeOf(db: ControlDb, orgId: string): Promise<string> {
  const demo = await db
    .selectFrom("demos")
    .select("home_org_id")
    .where("org_id", "=", orgId)
    .executeTakeFirst();
  return demo?.home_org_id ?? orgId;
}
