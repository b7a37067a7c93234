import { DAY_MS, HOUR_MS } from "@tollgate/core/time/durations";
import type { ControlDb } from "@tollgate/storage/database/schema";
import { repeatUntil } from "@tollgate/storage/following/repeat-until";

/** A report that nobody can read any more is still listed for this long. */
export const KEPT_MS = 90 * DAY_MS;
const EVERY_MS = HOUR_MS;

/** Runs periodically until the signal. */
export async function keepPruningReports(
  db: ControlDb,
  now: () => number,
  onFault: (fault: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  await repeatUntil(signal, EVERY_MS, () => pruneReports(db, now()), onFault);
}

/** Deletes reports that expired or were revoked long ago. Resolves with the number deleted. */
export async function pruneReports(db: ControlDb, now: number): Promise<number> {
  const before = now - KEPT_MS;
  const { numDeletedRows } = await db
    .deleteFrom("report_snapshots")
    .where(({ eb, or }) => or([eb("expires_at", "<", before), eb("revoked_at", "<", before)]))
    .executeTakeFirst();
  return Number(numDeletedRows);
}
