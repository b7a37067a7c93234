import type { ControlMigration } from "../control-migration.ts";

/** Retention drops what is old as whole partitions of PostgreSQL, which gives their space back. */
export const up: ControlMigration = async ({ divide }) => {
  await divide("shared_events", "position");
};
