import { type ControlMigration, key, required, zero } from "../control-migration.ts";

export const up: ControlMigration = async ({ schema, integer, table, keyedTable, index }) => {
  // 1: no switch of the agent is undone without a person.
  await schema.alterTable("agent_settings").addColumn("breaker_off", integer, zero).execute();
  // Recent switches are looked for several times a second.
  await index("optimizations_recent", "optimizations", ["applied_at"])
    .where("undone_at", "is", null)
    .execute();
  await table("switch_watches")
    .addColumn("optimization_id", "text", key)
    .addColumn("calls", integer, required)
    .addColumn("watch", "text", required)
    .execute();
  await keyedTable("switch_watch_sessions")
    .addColumn("optimization_id", "text", required)
    .addColumn("session_id", "text", required)
    .addColumn("calls", integer, required)
    .addColumn("errors", integer, required)
    .addColumn("slow_calls", integer, required)
    .addPrimaryKeyConstraint("switch_watch_sessions_pkey", ["optimization_id", "session_id"])
    .execute();
};
