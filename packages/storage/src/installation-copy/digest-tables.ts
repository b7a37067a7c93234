import type { ControlDb } from "../database/schema.ts";
import type { CopiedTable } from "./copied-tables.ts";
import { readPages } from "./read-pages.ts";

export interface TableDigest {
  readonly table: string;
  readonly rows: number;
  /** Of all values of all rows; independent of their order, which differs between engines and collations. */
  readonly digest: string;
}

export async function digestTables(
  db: ControlDb,
  tables: readonly CopiedTable[],
  onProgress: (table: string, rows: number) => void = () => {},
): Promise<TableDigest[]> {
  const digests: TableDigest[] = [];
  for (const table of tables) {
    let rows = 0;
    let sum = 0n;
    for await (const page of readPages(db, table)) {
      for (const row of page) sum = BigInt.asUintN(64, sum + Bun.hash.wyhash(JSON.stringify(row)));
      rows += page.length;
      onProgress(table.name, rows);
    }
    digests.push({ table: table.name, rows, digest: sum.toString(16) });
  }
  return digests;
}

/** The tables that differ, in words. */
export function differingTables(source: readonly TableDigest[], target: readonly TableDigest[]): string[] {
  return source.flatMap(({ table, rows, digest }) => {
    const copy = target.find(other => other.table === table);
    if (copy === undefined || copy.rows !== rows)
      return [`${table}: ${rows} rows, copied ${copy?.rows ?? 0}`];
    return copy.digest === digest ? [] : [`${table}: the rows differ`];
  });
}
