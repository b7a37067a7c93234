import type { Engine } from "@tollgate/storage/database/open-control-database";
import type { ControlDb } from "@tollgate/storage/database/schema";
import { sql, type TableMetadata } from "kysely";

/** All tables, but not their partitions, which have the same columns and rows. */
export async function tablesOf(db: ControlDb, engine: Engine): Promise<TableMetadata[]> {
  const tables = await db.introspection.getTables();
  if (engine === "sqlite") return tables;
  const { rows } = await sql<{ name: string }>`
    SELECT relname AS name FROM pg_class WHERE relispartition AND relkind = 'r'`.execute(db);
  const partitions = new Set(rows.map(({ name }) => name));
  return tables.filter(({ name }) => !partitions.has(name));
}
