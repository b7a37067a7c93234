import { sql } from "kysely";
import { type ControlMigration, key, ofOrganization, oneOf, required } from "../control-migration.ts";

export const up: ControlMigration = async ({ integer, table, uniqueIndex }) => {
  // Sample data in an organization of its own, on behalf of another one. The row of a removed demo stays, because the
  // ledger keeps its events: it marks their organization as gone.
  await table("demos")
    .addColumn("org_id", "text", column => key(column).references("organizations.id"))
    .addColumn("home_org_id", "text", ofOrganization)
    .addColumn("seed", integer, required)
    .addColumn("calls", integer, required)
    .addColumn("status", "text", oneOf("status", ["adding", "ready", "failed", "removed"]))
    .addColumn("step", "text")
    .addColumn("done_calls", integer, required)
    .addColumn("total_calls", integer, required)
    .addColumn("error", "text")
    .addColumn("runner", "text")
    .addColumn("heartbeat_at", integer, required)
    .addColumn("created_by", "text", required)
    .addColumn("created_at", integer, required)
    .addColumn("finished_at", integer)
    .execute();
  await uniqueIndex("demos_of_home", "demos", ["home_org_id"])
    .where(sql.ref("status"), "<>", sql.lit("removed"))
    .execute();
};
