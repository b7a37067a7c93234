import type { ControlMigration } from "../control-migration.ts";

export const up: ControlMigration = async ({ schema, index }) => {
  await schema.alterTable("budgets").addColumn("key_id", "text").execute();
  await schema.alterTable("budgets").addColumn("customer_id", "text").execute();
  // A budget shows how many of its calls have no known cost. Most organizations have none: the indexes are empty.
  await index("facts_by_unpriced_key", "facts", ["scope", "used_key", "created_at"])
    .where("unpriced", "=", 1)
    .where("used_key", "is not", null)
    .execute();
  await index("facts_by_unpriced_customer", "facts", ["scope", "customer", "created_at"])
    .where("unpriced", "=", 1)
    .where("customer", "is not", null)
    .execute();
};
