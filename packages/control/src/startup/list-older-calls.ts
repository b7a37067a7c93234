import type { Log } from "@tollgate/core/log";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import { listOlderFacts } from "@tollgate/storage/read-model/deriving/list-older-facts";

const TOLD_EVERY_MS = 5000;

/** Once, after an upgrade from a version that had indexes instead of lists: some seconds for a million calls. */
export async function listOlderCalls(database: ControlDatabase, log: Log): Promise<void> {
  let toldAt = performance.now();
  await listOlderFacts(database, (listed, calls) => {
    if (performance.now() - toldAt < TOLD_EVERY_MS) return;
    toldAt = performance.now();
    log("info", "the calls of before the upgrade are being listed; the web API starts afterwards", {
      listed,
      calls,
    });
  });
}
