import { type ControlMigration, required } from "../control-migration.ts";

const listed = ["agent", "model", "agent_model", "customer", "config_version", "used_key"] as const;

/**
 * Lists replace indexes whose maintenance took most of the time to derive facts. Older facts are listed at the next start
 * on SQLite (list-older-facts.ts), and by the follower on PostgreSQL (list-facts.ts). Facts that are not listed yet are
 * scanned.
 */
export const up: ControlMigration = async ({ schema, integer, keyedTable }) => {
  await keyedTable("fact_volumes")
    .addColumn("scope", integer, required)
    .addColumn("volume", integer, required)
    .addColumn("from_at", integer, required)
    .addColumn("to_at", integer, required)
    .addPrimaryKeyConstraint("fact_volumes_key", ["scope", "volume"])
    .execute();
  await keyedTable("fact_lists")
    .addColumn("volume", integer, required)
    .addColumn("scope", integer, required)
    .addColumn("dimension", integer, required)
    .addColumn("value", integer, required)
    .addColumn("model", integer, required)
    .addColumn("after_seq", integer, required)
    .addColumn("from_at", integer, required)
    .addColumn("to_at", integer, required)
    .addColumn("calls", integer, required)
    .addColumn("offsets", "text", required)
    .addPrimaryKeyConstraint("fact_lists_key", [
      "volume",
      "scope",
      "dimension",
      "value",
      "model",
      "after_seq",
    ])
    .execute();
  for (const name of listed) await schema.dropIndex(`facts_by_${name}`).execute();
};
