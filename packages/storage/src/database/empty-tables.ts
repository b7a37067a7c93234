import { sql } from "kysely";
import type { Engine } from "./open-control-database.ts";
import type { ControlDb, ControlSchema } from "./schema.ts";

/** Uses each engine's own command, whose cost does not depend on the number of rows. */
export async function emptyTables(
  db: ControlDb,
  engine: Engine,
  tables: readonly (keyof ControlSchema)[],
): Promise<void> {
  if (engine === "postgres") {
    await sql`TRUNCATE ${sql.join(tables.map(table => sql.table(table)))}`.execute(db);
    return;
  }
  for (const table of tables) await db.deleteFrom(table).execute();
}
