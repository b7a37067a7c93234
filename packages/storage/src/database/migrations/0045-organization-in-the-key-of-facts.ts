import { sql } from "kysely";
import type { ControlMigration } from "../control-migration.ts";

/** A cluster that distributes tables by organization needs it in their keys. */
export const up: ControlMigration = async ({ db, engine }) => {
  if (engine !== "postgres") return;
  await sql`ALTER TABLE facts_rest DROP CONSTRAINT facts_rest_pkey, ADD PRIMARY KEY (seq, scope)`.execute(db);
};
