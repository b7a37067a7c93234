import { type ControlMigration, key, required } from "../control-migration.ts";

/** What gateways on several machines have shipped, in one order. Unused while one machine does everything. */
export const up: ControlMigration = async ({ db, integer, table, index, uniqueIndex }) => {
  await table("nodes")
    .addColumn("id", "text", key)
    .addColumn("host", "text", required)
    .addColumn("version", "text", required)
    .addColumn("created_at", integer, required)
    .addColumn("last_seen_at", integer, required)
    .addColumn("newest_seq", integer, required)
    .addColumn("removed_at", integer)
    .execute();

  // An event is text, because nodes of two versions may ship at the same time.
  await table("shared_events")
    .addColumn("org_id", "text", required)
    .addColumn("id", "text", required)
    .addColumn("position", integer, required)
    .addColumn("node_id", "text", required)
    .addColumn("node_seq", integer, required)
    .addColumn("created_at", integer, required)
    .addColumn("event", "text", required)
    .addPrimaryKeyConstraint("shared_events_pkey", ["org_id", "id"])
    .execute();
  await uniqueIndex("shared_events_by_position", "shared_events", ["position"]).execute();
  await index("shared_events_by_node", "shared_events", ["node_id", "node_seq"]).execute();

  await table("shared_agents")
    .addColumn("org_id", "text", required)
    .addColumn("mode", "text", required)
    .addColumn("agent_key", "text", required)
    .addColumn("id", "text", required)
    .addColumn("first_seen_at", integer, required)
    .addColumn("position", integer, required)
    .addPrimaryKeyConstraint("shared_agents_pkey", ["org_id", "mode", "agent_key"])
    .execute();
  await index("shared_agents_by_position", "shared_agents", ["position"]).execute();

  await table("shared_rate_cards")
    .addColumn("version", "text", key)
    .addColumn("card", "text", required)
    .execute();

  // One row. Whoever appends locks it, so positions have no gaps and become visible in order.
  await table("shared_ledger_end").addColumn("position", integer, required).execute();
  await db.insertInto("shared_ledger_end").values({ position: 0 }).execute();
};
