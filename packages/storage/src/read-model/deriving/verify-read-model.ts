import { sql } from "kysely";
import { readHistory } from "../../database/history.ts";
import type { ControlDatabase } from "../../database/open-control-database.ts";
import type { ControlDb } from "../../database/schema.ts";
import { readSeq } from "../../following/stored-position.ts";
import type { LedgerReader } from "../../ledger/ledger-reader.ts";
import { namesOf } from "../names-of.ts";
import { type Comparison, comparisons } from "./comparisons.ts";
import { olderFactsCursor } from "./complete-older-facts.ts";
import { unpricedCursor } from "./count-older-unpriced.ts";
import { ADJUSTMENTS_CURSOR, EVENTS_CURSOR } from "./read-model-repair.ts";
import { isRefillDue, refilledTables } from "./refill-sums.ts";
import { verifyFacts } from "./verify-facts.ts";
import { verifyLists } from "./verify-lists.ts";

const MAX_REPORTED = 100;

/**
 * Recomputes the read model up to its cursors: every fact from the ledger and the adjustments, every sum from the
 * facts. The database does the sums here that the follower did in memory, so a bug in one is not also in the other.
 * Before the history begins there are no facts: there the sums of each day are compared with those of the removed facts,
 * and sums with the sums that they consist of.
 */
export async function verifyReadModel(
  database: ControlDatabase,
  ledger: LedgerReader,
  /** Called with each table whose sums are still being filled. Nothing reads them yet. */
  onIncomplete: (table: string) => void = () => {},
  /** Called in the snapshot with the last event that is derived. A copy of the ledger may be behind it. */
  untilLedgerHas: (snapshot: ControlDb, seq: number) => Promise<void> = async () => {},
): Promise<string[]> {
  const verify = async (snapshot: ControlDb): Promise<string[]> => {
    const differences: string[] = [];
    const report = (difference: string) => {
      if (differences.length < MAX_REPORTED) differences.push(difference);
    };
    const upTo = {
      events: await readSeq(snapshot, EVENTS_CURSOR),
      adjustments: await readSeq(snapshot, ADJUSTMENTS_CURSOR),
      unpriced: (await unpricedCursor(snapshot)) ?? Number.MAX_SAFE_INTEGER,
      complete: (await olderFactsCursor(snapshot)) ?? Number.MAX_SAFE_INTEGER,
    };
    await untilLedgerHas(snapshot, upTo.events);
    await verifyFacts(snapshot, database.engine, ledger, upTo, report);
    await verifyLists(snapshot, database.engine, report);
    const { beginsAtMs } = await readHistory(snapshot);
    const isRefilling = await isRefillDue(snapshot);
    for (const comparison of comparisons(beginsAtMs)) {
      if (isRefilling && refilledTables.includes(comparison.table)) onIncomplete(comparison.table);
      else await compare(snapshot, comparison, report);
    }
    return differences;
  };
  if (database.db.isTransaction) return verify(database.db);
  // One snapshot for all of it, while the follower keeps running.
  const once = database.db.transaction().setAccessMode("read only").setIsolationLevel("repeatable read");
  return once.execute(verify);
}

/** Stored sums minus their parts must be zero: one pass over both, whichever side lacks a row. */
async function compare(
  db: ControlDb,
  { table, key, sums, stored, parts, hasSpan = false }: Comparison,
  report: (difference: string) => void,
): Promise<void> {
  const none = sql`CAST(NULL AS BIGINT)`;
  const storedSpan = [
    sql`first_at AS stored_first`,
    sql`last_at AS stored_last`,
    sql`${none} AS first_at`,
    sql`${none} AS last_at`,
  ];
  const partsSpan = [none, none, sql.ref("first_at"), sql.ref("last_at")];
  const negative = sums.map(column => sql`-${sql.ref(column)} AS ${sql.ref(column)}`);
  const wrong = [
    ...sums.map(column => sql`sum(${sql.ref(column)}) <> 0`),
    // If one side has no row there is no time: -1 means none.
    ...(hasSpan
      ? [
          sql`coalesce(max(stored_first), -1) <> coalesce(min(first_at), -1)`,
          sql`coalesce(max(stored_last), -1) <> coalesce(max(last_at), -1)`,
        ]
      : []),
  ];
  const { rows } = await sql<Record<string, unknown>>`
    SELECT ${namesOf(key)} FROM (
      SELECT ${sql.join([...key.map(column => sql.ref(column)), ...sums.map(column => sql.ref(column)), ...(hasSpan ? storedSpan : [])])}
      ${stored} UNION ALL
      SELECT ${sql.join([...key.map(column => sql.ref(column)), ...negative, ...(hasSpan ? partsSpan : [])])} ${parts}
    ) AS both_sides GROUP BY ${namesOf(key)} HAVING ${sql.join(wrong, sql` OR `)}
    LIMIT ${sql.lit(MAX_REPORTED)}`.execute(db);
  for (const row of rows) {
    report(
      `${table}: ${key.map(column => `${column} ${row[column]}`).join(", ")} is not the sum of its events`,
    );
  }
}
