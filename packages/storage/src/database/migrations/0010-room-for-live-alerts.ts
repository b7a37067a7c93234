import { sql } from "kysely";
import type { ControlMigration } from "../control-migration.ts";

/** Allows a million alerts per event position instead of a thousand; their order stays the same. */
export const up: ControlMigration = async ({ db }) => {
  await sql`
    UPDATE alerts SET live_seq = live_seq / 1000 * 1000000 + live_seq % 1000 WHERE live_seq IS NOT NULL
  `.execute(db);
};
