import type { ControlMigration } from "../control-migration.ts";

/** What is known of an adjusted event after retention has removed it. */
export const up: ControlMigration = async ({ schema, integer }) => {
  await schema.alterTable("adjustments").addColumn("removed_mode", "text").execute();
  await schema.alterTable("adjustments").addColumn("removed_unpriced", integer).execute();
};
