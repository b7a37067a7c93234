import { type RawBuilder, sql } from "kysely";
import { isLockFault } from "../engine/lock-fault.ts";
import type { ControlDb, ControlTransaction } from "./schema.ts";

/**
 * PostgreSQL's tables that retention shortens are divided by ranges of a column, so that dropping a partition gives its space
 * back. Rows outside of all ranges go to the default partition, so a missing range never refuses a row; without retention it
 * has all rows. Retention closes it: it becomes the partition of a range, and a new, empty default partition replaces it.
 */
export interface DividedTable {
  readonly name: string;
  /** An integer. */
  readonly column: string;
  /** Unique within each partition. Across partitions, the writers have to ensure it. */
  readonly key: readonly string[];
  /** If no index begins with the column: one begins with `indexedBy.column`, the ids of this table, and has it second. */
  readonly indexedBy?: { readonly column: string; readonly table: string };
}

interface Range {
  readonly name: string;
  /** null: everything before `to`. */
  readonly from: number | null;
  readonly to: number;
}

interface Partitions {
  /** In their order. */
  readonly ranges: readonly Range[];
  /** The default partition. */
  readonly rest: string;
  /** The constraint by which it is being closed, or was when a crash interrupted that. */
  readonly closing: { readonly name: string; readonly isValid: boolean } | null;
}

/** A statement that waits for the lock of a table makes everyone else who uses it wait, too. */
const LOCK_WAIT_MS = 500;
const ATTEMPTS = 5;
const PAUSE_MS = 200;

/** The constraint's name ends with that of the range. */
const CLOSING = "closing_before_";

export async function readPartitions(db: ControlDb, { name }: DividedTable): Promise<Partitions> {
  const { rows } = await sql<{
    name: string;
    bounds: string;
    closing: string | null;
    isValid: boolean | null;
  }>`
    SELECT c.relname AS name, pg_get_expr(c.relpartbound, c.oid) AS bounds, k.conname AS closing, k.convalidated AS "isValid"
    FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
    LEFT JOIN pg_constraint AS k ON k.conrelid = c.oid AND starts_with(k.conname, ${sql.lit(CLOSING)})
    WHERE i.inhparent = to_regclass(${name})`.execute(db);
  const rest = rows.find(({ bounds }) => bounds === "DEFAULT");
  if (rest === undefined) throw new Error(`${name} has no default partition`);
  const ranges = rows
    .filter(row => row !== rest)
    .map(row => ({ name: row.name, ...parseBounds(row.bounds) }));
  return {
    ranges: ranges.sort((one, other) => one.to - other.to),
    rest: rest.name,
    closing: rest.closing === null ? null : { name: rest.closing, isValid: rest.isValid === true },
  };
}

function parseBounds(text: string): Omit<Range, "name"> {
  const [, from, to] = /^FOR VALUES FROM \((?:MINVALUE|'(-?\d+)')\) TO \('(-?\d+)'\)$/.exec(text) ?? [];
  if (to === undefined) throw new Error(`a partition with unknown bounds: ${text}`);
  return { from: from === undefined ? null : Number(from), to: Number(to) };
}

/**
 * Ensures that the partitions reach up to `until`. A new one has at least the given width. Resolves with false if the
 * default partition has rows of the new range and beyond: they stay there, and so does everything that follows.
 */
export async function extendPartitions(
  db: ControlDb,
  table: DividedTable,
  { until, width }: { readonly until: number; readonly width: number },
): Promise<boolean> {
  await endClosing(db, table);
  const { ranges, rest } = await readPartitions(db, table);
  const from = ranges.at(-1)?.to ?? null;
  if (from !== null && from >= until) return true;
  const to = from === null ? until : Math.max(until, from + width);
  const value = sql.ref(table.column);
  const before = from === null ? sql`false` : sql`${value} < ${sql.lit(from)}`;
  const within =
    from === null
      ? sql`${value} < ${sql.lit(to)}`
      : sql`${value} >= ${sql.lit(from)} AND ${value} < ${sql.lit(to)}`;
  if (!(await hasRow(db, table, rest, within))) {
    await patiently(db, table, transaction => addRange(transaction, table, from, to));
    return true;
  }
  if (await hasRow(db, table, rest, sql`${value} >= ${sql.lit(to)}`)) return false;
  // From before the oldest partition: retention removes them soon.
  if (await hasRow(db, table, rest, before)) return true;
  await closeRest(db, table, { from, to, within });
  return true;
}

async function hasRow(
  db: ControlDb,
  { indexedBy }: DividedTable,
  partition: string,
  which: RawBuilder<unknown>,
): Promise<boolean> {
  const rows = sql`SELECT 1 FROM ${sql.table(partition)} WHERE ${which}`;
  const { rows: found } = await (indexedBy === undefined
    ? sql`${rows} LIMIT 1`
    : sql`SELECT 1 FROM ${sql.table(indexedBy.table)} AS g,
        LATERAL (${rows} AND ${sql.ref(indexedBy.column)} = g.id LIMIT 1) AS found LIMIT 1`
  ).execute(db);
  return found.length > 0;
}

async function addRange(
  transaction: ControlTransaction,
  table: DividedTable,
  from: number | null,
  to: number,
): Promise<void> {
  const { ranges } = await readPartitions(transaction, table);
  if ((ranges.at(-1)?.to ?? null) !== from) return;
  await addPartition(transaction, table, nameOf(table, to), sql`FOR VALUES ${boundsOf(from, to)}`);
}

async function addPartition(
  transaction: ControlTransaction,
  { name, key }: DividedTable,
  partition: string,
  values: RawBuilder<unknown>,
): Promise<void> {
  await sql`CREATE TABLE ${sql.table(partition)} PARTITION OF ${sql.table(name)} ${values}`.execute(
    transaction,
  );
  await sql`ALTER TABLE ${sql.table(partition)} ADD PRIMARY KEY (${sql.join(key.map(column => sql.ref(column)))})`.execute(
    transaction,
  );
}

const nameOf = ({ name }: DividedTable, to: number) => `${name}_before_${to}`;

const boundsOf = (from: number | null, to: number) =>
  sql`FROM (${from === null ? sql`MINVALUE` : sql.lit(from)}) TO (${sql.lit(to)})`;

/**
 * Attaching a table locks and scans it, unless a constraint proves that its rows are in the range. So a constraint is added
 * first, not validated, which takes no time; validating it then scans the table without blocking others. Until the end, the
 * default partition accepts no row beyond the range, which therefore has to end far enough ahead.
 */
async function closeRest(
  db: ControlDb,
  table: DividedTable,
  {
    from,
    to,
    within,
  }: { readonly from: number | null; readonly to: number; readonly within: RawBuilder<unknown> },
): Promise<void> {
  const { rest } = await readPartitions(db, table);
  const constraint = `${CLOSING}${to}`;
  const [parent, closed, closing] = [
    sql.table(table.name),
    sql.table(nameOf(table, to)),
    sql.ref(constraint),
  ];
  await patiently(db, table, async transaction => {
    await sql`ALTER TABLE ${sql.table(rest)} ADD CONSTRAINT ${closing} CHECK (${within}) NOT VALID`.execute(
      transaction,
    );
  });
  try {
    await sql`ALTER TABLE ${sql.table(rest)} VALIDATE CONSTRAINT ${closing}`.execute(db);
    await patiently(db, table, async transaction => {
      const now = await readPartitions(transaction, table);
      if (now.closing?.name !== constraint || !now.closing.isValid)
        throw new Error(`another process closes ${rest}`);
      await sql`ALTER TABLE ${parent} DETACH PARTITION ${sql.table(rest)}`.execute(transaction);
      await sql`ALTER TABLE ${sql.table(rest)} RENAME TO ${closed}`.execute(transaction);
      await sql`ALTER TABLE ${parent} ATTACH PARTITION ${closed} FOR VALUES ${boundsOf(from, to)}`.execute(
        transaction,
      );
      await sql`ALTER TABLE ${closed} DROP CONSTRAINT ${closing}`.execute(transaction);
      await addPartition(transaction, table, rest, sql`DEFAULT`);
    });
  } catch (fault) {
    await endClosing(db, table);
    throw fault;
  }
}

/** A crash may have left the default partition with a constraint, which new rows will not always comply with. */
export async function endClosing(db: ControlDb, table: DividedTable): Promise<void> {
  const { rest, closing } = await readPartitions(db, table);
  if (closing === null) return;
  await patiently(db, table, async transaction => {
    await sql`ALTER TABLE ${sql.table(rest)} DROP CONSTRAINT IF EXISTS ${sql.ref(closing.name)}`.execute(
      transaction,
    );
  });
}

/**
 * Drops the partitions of everything before a value. `keep` runs in the same transaction, to record what is still to be known of
 * a partition's rows, and counts them. Resolves with their number.
 */
export async function dropPartitions(
  db: ControlDb,
  table: DividedTable,
  before: number,
  keep: (transaction: ControlTransaction, partition: string) => Promise<number> = async () => 0,
): Promise<number> {
  let counted = 0;
  for (const { name, to } of (await readPartitions(db, table)).ranges) {
    if (to > before) break;
    counted += await patiently(db, table, async transaction => {
      const { ranges } = await readPartitions(transaction, table);
      if (!ranges.some(range => range.name === name)) return 0;
      const rows = await keep(transaction, name);
      await sql`DROP TABLE ${sql.table(name)}`.execute(transaction);
      return rows;
    });
  }
  return counted;
}

/** A transaction that changes the partitions, one at a time. It waits for locks only briefly, because others queue behind it. */
async function patiently<Result>(
  db: ControlDb,
  { name }: DividedTable,
  work: (transaction: ControlTransaction) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(async transaction => {
        await sql`SELECT set_config('lock_timeout', ${String(LOCK_WAIT_MS)}, true)`.execute(transaction);
        await sql`LOCK TABLE ONLY ${sql.table(name)} IN SHARE UPDATE EXCLUSIVE MODE`.execute(transaction);
        return await work(transaction);
      });
    } catch (fault) {
      if (!isLockFault(fault) || attempt === ATTEMPTS) throw fault;
      await Bun.sleep(PAUSE_MS * attempt);
    }
  }
}

/** Resolves with null, after the call of `onTableInUse`, if the table could not be locked soon enough; nothing has changed. */
export async function unlessInUse<Result>(
  onTableInUse: (() => void) | undefined,
  work: () => Promise<Result>,
): Promise<Result | null> {
  try {
    return await work();
  } catch (fault) {
    if (!isLockFault(fault)) throw fault;
    onTableInUse?.();
    return null;
  }
}
