import { describeFault, type Log } from "@tollgate/core/log";
import { readHistory } from "@tollgate/storage/database/history";
import { repeatUntil } from "@tollgate/storage/following/repeat-until";
import { type RetentionParts, retainHistory } from "@tollgate/storage/read-model/retain-history";

const EVERY_MS = 60_000;

/** Removes what is older than the configured number of days, until the signal. */
export async function watchRetention(parts: RetentionParts, log: Log, signal: AbortSignal): Promise<void> {
  await repeatUntil(
    signal,
    EVERY_MS,
    async () => {
      const facts = await retainHistory(parts, signal);
      if (facts === 0) return;
      const { beginsAtMs } = await readHistory(parts.database.db);
      log("info", "retention removed old calls from the read model; rollups are kept", {
        calls: facts,
        history_begins_at: new Date(beginsAtMs).toISOString(),
      });
    },
    fault => log("error", "retention was interrupted; retrying", describeFault(fault)),
  );
}
