/**
 * Preloaded (`bun --preload`), it makes the program the version after this one, with a migration that adds everywhere: a column
 * to every table, a table and an index. So a test can upgrade machines one by one, with this version as the older one.
 */
import { controlMigrations } from "@tollgate/storage/database/migrations";
import { tablesOf } from "../rows/tables-of.ts";

const ofMigrator = ["kysely_migration", "kysely_migration_lock", "schema_version"];

Object.assign(controlMigrations, {
  "9999-next-version": async ({ db, engine, schema, integer, table, index }) => {
    for (const { name } of await tablesOf(db, engine)) {
      if (ofMigrator.includes(name)) continue;
      await schema
        .alterTable(name)
        .addColumn("of_next_version", integer, column => column.notNull().defaultTo(7))
        .execute();
    }
    await table("next_version")
      .addColumn("id", "text", column => column.primaryKey())
      .execute();
    await index("shared_events_of_next_version", "shared_events", ["created_at"]).execute();
  },
} satisfies typeof controlMigrations);
