import { type ControlMigration, required, zero } from "../control-migration.ts";

const totals = ["calls", "errors", "input_tokens", "output_tokens", "cost_microcents"] as const;

/** Calls by API key. Older events do not say with which key they were made, so nothing is counted for them. */
export const up: ControlMigration = async ({
  schema,
  integer,
  identity,
  table,
  counts,
  index,
  uniqueIndex,
}) => {
  await table("used_keys")
    .addColumn("id", integer, identity)
    .addColumn("scope", integer, required)
    .addColumn("key_id", "text", required)
    .$call(counts(totals))
    .addColumn("unpriced_calls", integer, zero)
    .addColumn("first_at", integer, required)
    .addColumn("last_at", integer, required)
    .execute();
  await uniqueIndex("used_keys_by_key", "used_keys", ["scope", "key_id"]).execute();
  await schema.alterTable("facts").addColumn("used_key", integer).execute();
  await index("facts_by_used_key", "facts", ["scope", "used_key", "created_at"])
    .where("used_key", "is not", null)
    .execute();
};
