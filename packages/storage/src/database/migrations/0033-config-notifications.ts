import { sql } from "kysely";
import type { ControlMigration } from "../control-migration.ts";

/** Copies of the configuration hear of a change when it is committed. SQLite's readers look at the file itself. */
export const up: ControlMigration = async ({ db, engine }) => {
  if (engine !== "postgres") return;
  await sql
    .raw(
      `create function config_revision_is_notified() returns trigger language plpgsql as
         $$ begin perform pg_notify('tollgate_config', ''); return null; end $$`,
    )
    .execute(db);
  await sql
    .raw(
      `create trigger config_revision_is_notified after update on config_revision
         for each statement execute function config_revision_is_notified()`,
    )
    .execute(db);
};
