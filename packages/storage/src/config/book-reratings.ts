import { type Adjustment, adjustmentOf, type Rerating } from "@tollgate/core/pricing/rerate";
import { adjustedUpTo } from "../database/adjusted-up-to.ts";
import { readHistory } from "../database/history.ts";
import type { Engine } from "../database/open-control-database.ts";
import type { ControlDb, ControlTransaction } from "../database/schema.ts";
import { lockOrganization } from "./lock-organization.ts";

export interface ComparedRerating extends Rerating {
  /** The sum of earlier adjustments; undefined: there are none. */
  readonly adjustedMicrocents: number | undefined;
  /** What is left to book; null: nothing. */
  readonly adjustment: Adjustment | null;
}

const BATCH = 500;

/** Reratings beside what has been booked so far. */
export async function compareReratings(
  db: ControlDb,
  engine: Engine,
  reratings: readonly Rerating[],
): Promise<ComparedRerating[]> {
  const compared: ComparedRerating[] = [];
  const { beginsAtMs } = await readHistory(db);
  // The sums of calls from before are final.
  const open = reratings.filter(({ event }) => event.created_at >= beginsAtMs);
  for (let from = 0; from < open.length; from += BATCH) {
    const some = open.slice(from, from + BATCH);
    const ids = some.map(({ event }) => event.id);
    const adjusted = await adjustedUpTo(db, engine, Number.MAX_SAFE_INTEGER, ids);
    for (const rerating of some) {
      const adjustedMicrocents = adjusted.get(rerating.event.id);
      compared.push({
        ...rerating,
        adjustedMicrocents,
        adjustment: adjustmentOf(rerating, adjustedMicrocents),
      });
    }
  }
  return compared;
}

/**
 * Books what earlier adjustments leave to book. They are read under the organization's lock: of two concurrent reratings
 * the second sees what the first has booked, and books nothing twice.
 */
export async function bookReratings(
  transaction: ControlTransaction,
  engine: Engine,
  orgId: string,
  reratings: readonly Rerating[],
  nowMs: number,
): Promise<ComparedRerating[]> {
  await lockOrganization(transaction, engine, orgId);
  // Retention decides where history begins either before, or after these are in the read model.
  if (engine === "postgres") await transaction.selectFrom("history").selectAll().forShare().execute();
  const compared = await compareReratings(transaction, engine, reratings);
  const rows = compared.flatMap(({ adjustment }) => adjustment ?? []);
  for (let from = 0; from < rows.length; from += BATCH) {
    const some = rows.slice(from, from + BATCH).map(row => ({ ...row, created_at: nowMs }));
    await transaction.insertInto("adjustments").values(some).execute();
  }
  return compared;
}
