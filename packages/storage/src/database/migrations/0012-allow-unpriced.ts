import { type ControlMigration, zero } from "../control-migration.ts";

export const up: ControlMigration = async ({ schema, integer }) => {
  // 1: a hard_block budget admits calls to models without a price.
  await schema.alterTable("budgets").addColumn("allow_unpriced", integer, zero).execute();
};
