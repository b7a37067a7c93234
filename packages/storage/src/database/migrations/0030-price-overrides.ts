import { type ControlMigration, key, ofOrganization, oneOf, required } from "../control-migration.ts";

/** Prices that organizations have set for themselves. */
export const up: ControlMigration = async ({ integer, table, index, countChanges }) => {
  await table("price_overrides")
    .addColumn("id", "text", key)
    .addColumn("org_id", "text", ofOrganization)
    .addColumn("provider", "text", oneOf("provider", ["openai", "anthropic", "google", "xai"]))
    .addColumn("model", "text", required)
    .addColumn("prices", "text", required)
    .addColumn("effective_from", integer, required)
    .addColumn("created_by", "text", required)
    .execute();
  await index("price_overrides_by_organization", "price_overrides", ["org_id"]).execute();
  await countChanges("price_overrides", "config_revision");
};
