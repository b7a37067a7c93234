import { CompiledQuery, sql } from "kysely";
import type { ControlDatabase } from "../database/open-control-database.ts";
import type { ControlDb, ControlTransaction } from "../database/schema.ts";
import { UnfinishedMigration } from "../database/unfinished-migration.ts";
import type { Engine } from "../engine/engine.ts";
import type { CopiedTable } from "./copied-tables.ts";
import { readPages, type Values } from "./read-pages.ts";

const quoted = (name: string) => `"${name}"`;
const listed = (names: readonly string[]) => names.map(quoted).join(", ");

type Target = Pick<ControlDatabase, "db" | "engine">;

/** Copy progress of a table. */
interface Progress {
  readonly rows: number;
  readonly after: Values | null;
  readonly isComplete: boolean;
}

/** Rows per statement: SQLite allows 32,766 parameters, and the widest table has about 60 columns. */
const SQLITE_ROWS = 200;

/**
 * Copies tables page by page. A page and the note of how far the table is copied are one transaction, so a killed
 * migration continues after the last page.
 */
export async function copyTables(
  source: ControlDb,
  { db, engine }: Target,
  tables: readonly CopiedTable[],
  onProgress: (table: string, rows: number) => void = () => {},
): Promise<void> {
  for (const table of tables) {
    const name = `table ${table.name}`;
    const noted = await new UnfinishedMigration(db, engine).read(name);
    let progress: Progress = noted === null ? { rows: 0, after: null, isComplete: false } : JSON.parse(noted);
    if (progress.isComplete) continue;
    const write = (next: Progress, work: (transaction: ControlTransaction) => Promise<void>) =>
      db.transaction().execute(async transaction => {
        await work(transaction);
        await new UnfinishedMigration(transaction, engine).write(name, JSON.stringify(next));
        progress = next;
      });
    for await (const page of readPages(source, table, progress.after)) {
      const last = page.at(-1);
      const next = { rows: progress.rows + page.length, after: keyOf(table, last), isComplete: false };
      await write(next, async transaction => {
        // The schema's migrations have written a row of their own.
        if (table.key.length === 0) await sql`DELETE FROM ${sql.table(table.name)}`.execute(transaction);
        await insert(transaction, engine, table, page);
      });
      onProgress(table.name, progress.rows);
    }
    await write({ ...progress, isComplete: true }, async transaction => {
      if (engine === "postgres") await continueIdentity(transaction, table);
    });
  }
}

function keyOf({ columns, key }: CopiedTable, row: Values | undefined): Values | null {
  if (row === undefined || key.length === 0) return null;
  return key.map(column => row[columns.indexOf(column)] ?? null);
}

async function insert(
  db: ControlDb,
  engine: Engine,
  { name, columns }: CopiedTable,
  page: readonly Values[],
): Promise<void> {
  const into = `INSERT INTO ${quoted(name)} (${listed(columns)})`;
  if (engine === "postgres") {
    // As one JSON text: its own types, such as identity's times and booleans, are parsed by PostgreSQL.
    const rows = page.map(row => Object.fromEntries(columns.map((column, index) => [column, row[index]])));
    const text = `${into} SELECT ${listed(columns)}
      FROM json_populate_recordset(NULL::${quoted(name)}, CAST(CAST($1 AS TEXT) AS JSON))`;
    await db.executeQuery(CompiledQuery.raw(text, [JSON.stringify(rows)]));
    return;
  }
  const one = `(${columns.map(() => "?").join(", ")})`;
  for (let from = 0; from < page.length; from += SQLITE_ROWS) {
    const rows = page.slice(from, from + SQLITE_ROWS);
    const text = `${into} VALUES ${rows.map(() => one).join(", ")}`;
    // Not passed as an argument: Kysely would freeze thousands of values, which takes longer than writing them.
    await db.executeQuery({ ...CompiledQuery.raw(text), parameters: rows.flat() });
  }
}

/** New rows get ids after the copied ones, as in SQLite. */
async function continueIdentity(db: ControlDb, { name, key }: CopiedTable): Promise<void> {
  const [column] = key;
  if (column === undefined) return;
  const { rows } = await sql<{ sequence: string | null }>`
    SELECT pg_get_serial_sequence(${sql.lit(quoted(name))}, ${sql.lit(column)}) AS sequence`.execute(db);
  const sequence = rows[0]?.sequence;
  if (sequence === null || sequence === undefined) return;
  await sql`SELECT setval(${sql.lit(sequence)}, max(${sql.ref(column)})) FROM ${sql.table(name)}
    HAVING max(${sql.ref(column)}) IS NOT NULL`.execute(db);
}
