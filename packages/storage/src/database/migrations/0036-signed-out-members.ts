import type { ControlMigration } from "../control-migration.ts";

/** Sessions that began before it do not count for this membership. */
export const up: ControlMigration = async ({ schema, integer }) => {
  await schema.alterTable("members").addColumn("signed_out_at", integer).execute();
};
