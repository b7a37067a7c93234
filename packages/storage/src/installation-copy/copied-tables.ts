import { sql } from "kysely";
import type { ControlDb } from "../database/schema.ts";
import { sharedLedgerTables } from "../database/tables/shared-ledger-tables.ts";

export interface CopiedTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** Empty: a table of one row. */
  readonly key: readonly string[];
}

/** Others refer to these. */
const parents = ["organizations", "auth_users"];

/**
 * Written by the schema's migrations, or by shipping the ledger: what several machines share is derived from the ledger
 * and has another form there.
 */
const notCopied = new Set([
  "kysely_migration",
  "kysely_migration_lock",
  "unfinished_migration",
  ...Object.keys(sharedLedgerTables),
]);

/**
 * The tables that a migration copies, those of identity included, in the order of copying: parents first, and revisions
 * last, because copying configuration counts as a change. Read from SQLite, which is one of the two sides in any case.
 */
export async function copiedTables(sqlite: ControlDb): Promise<CopiedTable[]> {
  const { rows } = await sql<{ table_name: string; column_name: string; key_part: number }>`
    SELECT t.name AS table_name, c.name AS column_name, c.pk AS key_part
    FROM sqlite_master AS t JOIN pragma_table_info(t.name) AS c
    WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%' ORDER BY t.name, c.cid`.execute(sqlite);
  const byName = Map.groupBy(rows, row => row.table_name);
  const tables = [...byName].flatMap(([name, columns]): CopiedTable[] => {
    if (notCopied.has(name)) return [];
    const key = columns.filter(({ key_part }) => key_part > 0).sort((a, b) => a.key_part - b.key_part);
    return [
      {
        name,
        columns: columns.map(({ column_name }) => column_name),
        key: key.map(({ column_name }) => column_name),
      },
    ];
  });
  const rank = ({ name }: CopiedTable) => (parents.includes(name) ? 0 : name.endsWith("_revision") ? 2 : 1);
  return tables.sort((a, b) => rank(a) - rank(b));
}
