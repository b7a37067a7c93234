import { seqOfAlert } from "@tollgate/core/live/live-seq";
import type { ControlSchema } from "@tollgate/storage/control/schema";
import type { Kysely } from "kysely";
import type { AlertRow } from "../operations/to-alert.ts";

export interface NumberedAlert {
  readonly row: AlertRow;
  readonly seq: number;
}

const ALERTS_AT_ONCE = 200;

export async function hasUnnumberedAlerts(db: Kysely<ControlSchema>): Promise<boolean> {
  const row = await db
    .selectFrom("alerts")
    .select("id")
    .where("live_seq", "is", null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Gives alerts their place after the event that `standing` says, and keeps it: after a restart they are found where
 * viewers have seen them. `standing` is asked inside the transaction; from then on nothing may be published until
 * this is over, or an alert would be told at a place that somebody has already passed.
 */
export async function numberAlerts(
  db: Kysely<ControlSchema>,
  standing: () => number,
): Promise<NumberedAlert[]> {
  return db.transaction().execute(async transaction => {
    const rows = await transaction
      .selectFrom("alerts")
      .selectAll()
      .where("live_seq", "is", null)
      .orderBy("id")
      .limit(ALERTS_AT_ONCE)
      .execute();
    const at = standing();
    const newest = new Map<string, number>();
    const numbered: NumberedAlert[] = [];
    for (const row of rows) {
      const scope = `${row.mode} ${row.org_id}`;
      const last = newest.get(scope) ?? (await newestOf(transaction, row));
      const seq = seqOfAlert(at, last);
      if (seq === null) continue;
      newest.set(scope, seq);
      await transaction.updateTable("alerts").set({ live_seq: seq }).where("id", "=", row.id).execute();
      numbered.push({ row, seq });
    }
    return numbered;
  });
}

async function newestOf(db: Kysely<ControlSchema>, { org_id, mode }: AlertRow): Promise<number> {
  const row = await db
    .selectFrom("alerts")
    .select(({ fn }) => fn.max<number | null>("live_seq").as("seq"))
    .where("org_id", "=", org_id)
    .where("mode", "=", mode)
    .executeTakeFirst();
  return row?.seq ?? 0;
}

/** The newest place of every scope that has one after `after`. */
export async function newestAlertSeqs(
  db: Kysely<ControlSchema>,
  after: number,
): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom("alerts")
    .select(({ fn }) => ["org_id", "mode", fn.max<number>("live_seq").as("seq")])
    .where("live_seq", ">", after)
    .groupBy(["org_id", "mode"])
    .execute();
  return new Map(rows.map(row => [`${row.mode} ${row.org_id}`, Number(row.seq)]));
}
