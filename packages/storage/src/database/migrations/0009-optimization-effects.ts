import { type ControlMigration, key, required } from "../control-migration.ts";

export const up: ControlMigration = async ({ integer, keyedTable }) => {
  // What applied optimizations have saved so far, computed from the ledger.
  await keyedTable("optimization_effects")
    .addColumn("optimization_id", "text", key)
    .addColumn("calls", integer, required)
    .addColumn("priced_calls", integer, required)
    .addColumn("saved_microcents", integer, required)
    .execute();
};
