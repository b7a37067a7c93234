import { type ControlMigration, zero } from "../control-migration.ts";

/** How many of a month's calls several gateways have made, and how many their ledgers have lost. */
export const up: ControlMigration = async ({ schema, integer }) => {
  await schema.alterTable("call_shares").addColumn("made_calls", integer, zero).execute();
  await schema.alterTable("call_shares").addColumn("lost_calls", integer, zero).execute();
};
