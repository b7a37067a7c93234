import { sql } from "kysely";
import { type ControlMigration, eitherMode, key, oneOf, required } from "../control-migration.ts";

/** Rows are only ever added: triggers refuse everything else. */
export const up: ControlMigration = async ({ db, engine, integer, table, index }) => {
  await table("audit_log")
    .addColumn("id", "text", key)
    .addColumn("org_id", "text", required)
    .addColumn("mode", "text", eitherMode)
    .addColumn("created_at", integer, required)
    .addColumn("actor_kind", "text", oneOf("actor_kind", ["member", "key", "cli"]))
    .addColumn("actor", "text", required)
    .addColumn("session_id", "text")
    .addColumn("ip", "text")
    .addColumn("client", "text")
    .addColumn("operation", "text", required)
    .addColumn("object", "text")
    .addColumn("object_id", "text")
    .addColumn("changes", "text", required)
    .addColumn("omitted_changes", integer, required)
    .execute();
  await index("audit_log_by_time", "audit_log", ["org_id", "created_at", "id"]).execute();
  await index("audit_log_by_object", "audit_log", ["org_id", "object_id", "created_at", "id"])
    .where("object_id", "is not", null)
    .execute();
  for (const change of ["update", "delete"]) {
    const name = `audit_log_refuses_${change}`;
    if (engine === "sqlite") {
      await sql
        .raw(
          `create trigger ${name} before ${change} on audit_log begin select raise(abort, 'the audit log is append-only'); end`,
        )
        .execute(db);
      continue;
    }
    await sql
      .raw(
        `create function ${name}() returns trigger language plpgsql as $$ begin raise exception 'the audit log is append-only'; end $$`,
      )
      .execute(db);
    await sql
      .raw(`create trigger ${name} before ${change} on audit_log for each row execute function ${name}()`)
      .execute(db);
  }
};
