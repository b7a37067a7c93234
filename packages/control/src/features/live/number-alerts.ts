import { seqOfAlert } from "@tollgate/core/live/live-seq";
import type { ControlDb } from "@tollgate/storage/database/schema";
import { type Scope, scopeName, toScope } from "@tollgate/storage/ledger/scope";
import type { AlertRow } from "../alerts/to-alert.ts";

interface NumberedAlert {
  readonly row: AlertRow;
  readonly seq: number;
}

const ALERTS_AT_ONCE = 200;

export async function hasUnnumberedAlerts(db: ControlDb): Promise<boolean> {
  const row = await db
    .selectFrom("alerts")
    .select("id")
    .where("live_seq", "is", null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Assigns each alert a seq after the event that `lastEventSeq` returns, and stores it, so that it stays the same after a
 * restart. `lastEventSeq` is called inside the transaction; nothing may be published from then until the commit, or an
 * alert would get a seq that some viewer has already passed. A scope with no free seq waits for its next event and
 * delays no other scope.
 */
export async function numberAlerts(db: ControlDb, lastEventSeq: () => number): Promise<NumberedAlert[]> {
  return db.transaction().execute(async transaction => {
    const newest = new Map<string, number>();
    const full = new Map<string, Scope>();
    const numbered: NumberedAlert[] = [];
    let rows = await readUnnumbered(transaction, []);
    const eventSeq = lastEventSeq();
    // Stops at the first page with an alert that could be numbered; each page without one excludes more scopes.
    while (rows.length > 0 && numbered.length === 0) {
      for (const row of rows) {
        const scope = toScope(row);
        const name = scopeName(scope);
        if (full.has(name)) continue;
        const seq = seqOfAlert(eventSeq, newest.get(name) ?? (await newestOf(transaction, row)));
        if (seq === null) {
          full.set(name, scope);
          continue;
        }
        newest.set(name, seq);
        await transaction.updateTable("alerts").set({ live_seq: seq }).where("id", "=", row.id).execute();
        numbered.push({ row, seq });
      }
      if (numbered.length === 0) rows = await readUnnumbered(transaction, [...full.values()]);
    }
    return numbered;
  });
}

function readUnnumbered(db: ControlDb, without: readonly Scope[]): Promise<AlertRow[]> {
  let query = db.selectFrom("alerts").selectAll().where("live_seq", "is", null);
  for (const { orgId, mode } of without) {
    query = query.where(where => where.not(where.and({ org_id: orgId, mode })));
  }
  return query.orderBy("id").limit(ALERTS_AT_ONCE).execute();
}

async function newestOf(db: ControlDb, { org_id, mode }: AlertRow): Promise<number> {
  const row = await db
    .selectFrom("alerts")
    .select(({ fn }) => fn.max<number | null>("live_seq").as("seq"))
    .where("org_id", "=", org_id)
    .where("mode", "=", mode)
    .executeTakeFirst();
  return row?.seq ?? 0;
}

/** The newest alert seq of every scope that has one after `after`. */
export async function newestAlertSeqs(db: ControlDb, after: number): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom("alerts")
    .select(({ fn }) => ["org_id", "mode", fn.max<number>("live_seq").as("seq")])
    .where("live_seq", ">", after)
    .groupBy(["org_id", "mode"])
    .execute();
  return new Map(rows.map(row => [scopeName(toScope(row)), Number(row.seq)]));
}
