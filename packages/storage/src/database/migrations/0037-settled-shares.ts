import { type ControlMigration, zero } from "../control-migration.ts";

/** What several gateways have used of a budget for certain, what their ledgers have lost of it, and when they last asked. */
export const up: ControlMigration = async ({ schema, integer }) => {
  await schema.alterTable("budget_shares").addColumn("settled_microcents", integer, zero).execute();
  await schema.alterTable("budget_shares").addColumn("lost_microcents", integer, zero).execute();
  await schema.alterTable("budget_shares").addColumn("asked_at", integer, zero).execute();
};
