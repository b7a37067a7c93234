import { type ControlMigration, required } from "../control-migration.ts";

/** Sums of each agent's config versions, filled by the follower (refill-sums.ts). */
export const up: ControlMigration = async ({ integer, keyedTable, counts }) => {
  await keyedTable("agent_version_days")
    .addColumn("scope", integer, required)
    .addColumn("agent", integer, required)
    .addColumn("day", integer, required)
    .addColumn("config_version", integer, required)
    .$call(counts(["calls", "errors", "input_tokens", "output_tokens", "cost_microcents", "unpriced_calls"]))
    .addPrimaryKeyConstraint("agent_version_days_pkey", ["scope", "agent", "day", "config_version"])
    .execute();
};
