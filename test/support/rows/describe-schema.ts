import type { Engine } from "@tollgate/storage/database/open-control-database";
import type { ControlDb } from "@tollgate/storage/database/schema";
import { sql } from "kysely";

/** Every table, column, constraint, index and trigger of a database, as comparable texts. */
export async function describeSchema(db: ControlDb, engine: Engine): Promise<string[]> {
  const query = engine === "sqlite" ? sqliteObjects : postgresObjects;
  const { rows } = await query.execute(db);
  return rows.map(({ name, definition }) => `${name}: ${inOneSpelling(definition)}`).sort();
}

const sqliteObjects = sql<{ name: string; definition: string }>`
  SELECT name, sql AS definition FROM sqlite_master WHERE sql IS NOT NULL
`;

const postgresObjects = sql<{ name: string; definition: string }>`
  SELECT table_name || '.' || column_name AS name,
    ordinal_position || ' ' || data_type || ' ' || is_nullable || ' ' || coalesce(column_default, '') || ' ' || is_identity
      AS definition
    FROM information_schema.columns WHERE table_schema = 'public'
  UNION ALL SELECT conrelid::regclass || '.' || conname, pg_get_constraintdef(oid)
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace
  UNION ALL SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
  UNION ALL SELECT tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
  UNION ALL SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace
`;

/** SQLite stores a definition as it was typed. */
function inOneSpelling(definition: string): string {
  return definition
    .toLowerCase()
    .replace(/"/g, "")
    .replace(/constraint \w+ (?=primary key)/g, "")
    .replace(/ (default \S+) not null/g, " not null $1")
    .replace(/\s+/g, " ")
    .replace(/ ?([(),;]) ?/g, "$1")
    .trim();
}
