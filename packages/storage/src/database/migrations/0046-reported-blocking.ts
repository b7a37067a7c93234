import type { ControlMigration } from "../control-migration.ts";

/** Which change to a blocking budget a node knew when it last asked for an allowance: only then has it reported its spend. */
export const up: ControlMigration = async ({ schema, integer }) => {
  await schema.alterTable("budget_shares").addColumn("reported_since", integer).execute();
};
