import {
  type ControlMigration,
  eitherMode,
  key,
  ofOrganization,
  oneOf,
  required,
} from "../control-migration.ts";

export const up: ControlMigration = async ({ integer, table, keyedTable, index, uniqueIndex }) => {
  await table("checkouts")
    .addColumn("id", "text", key)
    .addColumn("org_id", "text", column => column.references("organizations.id"))
    .addColumn("mode", "text", eitherMode)
    .addColumn("provider", "text", oneOf("provider", ["operator", "stripe"]))
    .addColumn("unit_price_cents", integer)
    .addColumn("callback_url", "text")
    .addColumn("claim_digest", "text")
    .addColumn("opened_by", "text", required)
    .addColumn("claimed_by", "text")
    .addColumn("paid_count", integer)
    .addColumn("payment_reference", "text")
    .addColumn("paid_at", integer)
    .addColumn("created_at", integer, required)
    .addColumn("expires_at", integer, required)
    .execute();
  await uniqueIndex("checkouts_by_claim", "checkouts", ["claim_digest"])
    .where("claim_digest", "is not", null)
    .execute();
  await uniqueIndex("checkouts_by_payment", "checkouts", ["payment_reference"])
    .where("payment_reference", "is not", null)
    .execute();
  await index("checkouts_to_claim", "checkouts", ["created_at"])
    .where("claim_digest", "is not", null)
    .execute();
  await index("checkouts_unpaid", "checkouts", ["expires_at"]).where("paid_at", "is", null).execute();

  await keyedTable("redirect_origins")
    .addColumn("org_id", "text", ofOrganization)
    .addColumn("origin", "text", required)
    .addPrimaryKeyConstraint("redirect_origins_pkey", ["org_id", "origin"])
    .execute();
};
