import { sql } from "kysely";
import { type ControlMigration, required } from "../control-migration.ts";

/** One cursor per reader and node whose ledger it reads. Until now there was one node, which is now called `local`. */
export const up: ControlMigration = async ({ db, schema, integer, keyedTable }) => {
  await keyedTable("cursors_of_nodes")
    .addColumn("reader", "text", required)
    .addColumn("node", "text", required)
    .addColumn("position", integer, required)
    .addColumn("event_id", "text")
    .addPrimaryKeyConstraint("cursors_of_nodes_pkey", ["reader", "node"])
    .execute();
  await sql`insert into cursors_of_nodes (reader, node, position, event_id)
    select name, 'local', position, event_id from cursors`.execute(db);
  await schema.dropTable("cursors").execute();
  await schema.alterTable("cursors_of_nodes").renameTo("cursors").execute();
};
