import { type ControlMigration, required } from "../control-migration.ts";

/** What each of several gateways may use of a budget's limit in a period. */
export const up: ControlMigration = async ({ integer, keyedTable }) => {
  await keyedTable("budget_shares")
    .addColumn("org_id", "text", required)
    .addColumn("budget_id", "text", required)
    .addColumn("since", integer, required)
    .addColumn("period", "text", required)
    .addColumn("node_id", "text", required)
    .addColumn("granted_microcents", integer, required)
    .addColumn("used_microcents", integer, required)
    .addColumn("is_last", integer, required)
    .addPrimaryKeyConstraint("budget_shares_pkey", ["org_id", "budget_id", "since", "period", "node_id"])
    .execute();
};
