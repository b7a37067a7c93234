import { type ControlMigration, key, ofOrganization, required } from "../control-migration.ts";

/** The organization that a person has switched a session to. */
export const up: ControlMigration = async ({ table, integer, index }) => {
  await table("session_organizations")
    .addColumn("session_id", "text", key)
    .addColumn("user_id", "text", required)
    .addColumn("org_id", "text", ofOrganization)
    .addColumn("switched_at", integer, required)
    .execute();
  await index("session_organizations_by_user", "session_organizations", ["user_id"]).execute();
};
