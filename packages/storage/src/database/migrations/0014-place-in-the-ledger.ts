import { type ControlMigration, required } from "../control-migration.ts";

export const up: ControlMigration = async ({ schema, integer, identity, table }) => {
  // The event at the cursor: after a restore, the same seq may belong to another event.
  await schema.alterTable("cursors").addColumn("event_id", "text").execute();

  // One row each time the ledger had lost events that were already read. Derived data is rebuilt up to until_seq.
  await table("rebuilds")
    .addColumn("id", integer, identity)
    .addColumn("readers", "text", required)
    .addColumn("common_seq", integer, required)
    .addColumn("common_event_id", "text")
    .addColumn("lost_seq", integer, required)
    .addColumn("until_seq", integer, required)
    .addColumn("noticed_at", integer, required)
    .addColumn("finished_at", integer)
    .execute();
};
