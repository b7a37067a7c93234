import { sql } from "kysely";
import { readHistory } from "../../database/history.ts";
import { listOfNumbers } from "../../database/list-of.ts";
import type { ControlDatabase } from "../../database/open-control-database.ts";
import { withoutSync } from "../../database/without-sync.ts";
import { lockPosition } from "../../following/stored-position.ts";
import { firstFact, removeEmptyLists } from "./list-facts.ts";
import { EVENTS_CURSOR } from "./read-model-repair.ts";
import { removeFacts } from "./remove-facts.ts";

const FACTS_PER_STEP = 500;
const PAGES_PER_STEP = 256;
const PAUSE_MS = 20;

/** In small steps, until the signal. Resolves with their number. */
export async function removeOldFacts(database: ControlDatabase, signal?: AbortSignal): Promise<number> {
  const { db, engine } = database;
  const { beginsAtMs } = await readHistory(db);
  if (beginsAtMs === 0) return 0;
  const scopes = await db.selectFrom("scopes").select("id").execute();
  let removed = 0;
  for (const { id } of scopes) {
    for (;;) {
      if (signal?.aborted === true) return removed;
      const found = await withoutSync(database, one =>
        one.transaction().execute(async transaction => {
          await lockPosition(transaction, engine, EVENTS_CURSOR);
          const rows = await transaction
            .selectFrom("facts")
            .select("seq")
            .where("scope", "=", id)
            .where("created_at", "<", beginsAtMs)
            .orderBy("created_at")
            .limit(FACTS_PER_STEP)
            .execute();
          if (rows.length > 0) {
            const seqs = rows.map(({ seq }) => seq);
            // With the time, so that PostgreSQL searches only the oldest partition.
            await removeFacts(
              transaction,
              sql`seq IN ${listOfNumbers(engine, seqs)} AND created_at < ${beginsAtMs}`,
            );
          }
          return rows.length;
        }),
      );
      if (found === 0) break;
      removed += found;
      await releaseSpace(database);
      await Bun.sleep(PAUSE_MS);
    }
  }
  while (signal?.aborted !== true && (await releaseSpace(database))) await Bun.sleep(PAUSE_MS);
  return removed;
}

/** Lists without facts. */
export async function removeOldLists(database: ControlDatabase, signal?: AbortSignal): Promise<void> {
  const seq = await firstFact(database.db, 0);
  if (seq === null) return;
  const remove = () =>
    withoutSync(database, db => db.transaction().execute(transaction => removeEmptyLists(transaction, seq)));
  while (signal?.aborted !== true && (await remove())) {
    while (await releaseSpace(database)) await Bun.sleep(PAUSE_MS);
    await Bun.sleep(PAUSE_MS);
  }
}

/** PostgreSQL drops partitions. Resolves with whether there may be more. */
async function releaseSpace({ db, engine }: ControlDatabase): Promise<boolean> {
  if (engine !== "sqlite") return false;
  const { rows } = await sql`SELECT freelist_count AS free FROM pragma_freelist_count()`.execute(db);
  const free = (rows[0] as { free: number } | undefined)?.free ?? 0;
  if (free === 0) return false;
  await sql`PRAGMA incremental_vacuum(${sql.lit(PAGES_PER_STEP)})`.execute(db);
  return free > PAGES_PER_STEP;
}
