import type { ControlMigration } from "../control-migration.ts";

export const up: ControlMigration = async ({ schema, integer }) => {
  // When a webhook last failed, and when the current round of attempts began: both are limited by time.
  await schema.alterTable("webhooks").addColumn("last_failed_at", integer).execute();
  await schema.alterTable("deliveries").addColumn("first_tried_at", integer).execute();
};
