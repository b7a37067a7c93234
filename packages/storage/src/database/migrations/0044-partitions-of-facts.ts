import type { ControlMigration } from "../control-migration.ts";

/** By time, because retention and most queries go by it. */
export const up: ControlMigration = async ({ divide }) => {
  await divide("facts", "created_at");
};
