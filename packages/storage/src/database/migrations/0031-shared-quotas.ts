import { type ControlMigration, eitherMode, required } from "../control-migration.ts";

/** What several gateways share of a tier's limits: the month's calls, and the number of agents. */
export const up: ControlMigration = async ({ integer, keyedTable }) => {
  await keyedTable("call_shares")
    .addColumn("org_id", "text", required)
    .addColumn("month", "text", required)
    .addColumn("node_id", "text", required)
    .addColumn("granted_calls", integer, required)
    .addColumn("used_calls", integer, required)
    .addPrimaryKeyConstraint("call_shares_pkey", ["org_id", "month", "node_id"])
    .execute();
  await keyedTable("agent_slots")
    .addColumn("org_id", "text", required)
    .addColumn("mode", "text", eitherMode)
    .addColumn("agent_key", "text", required)
    .addColumn("taken_at", integer, required)
    .addPrimaryKeyConstraint("agent_slots_pkey", ["org_id", "mode", "agent_key"])
    .execute();
};
