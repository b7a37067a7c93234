import type { ControlMigration } from "../control-migration.ts";

export const up: ControlMigration = async ({ schema }) => {
  // A key has no more rights than its creator; otherwise an admin could create a key and become an owner with it.
  await schema
    .alterTable("api_keys")
    .addColumn("role", "text", column => column.notNull().defaultTo("owner"))
    .execute();
};
