import type { Log } from "@tollgate/core/log";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import { listOlderFacts } from "@tollgate/storage/read-model/deriving/list-older-facts";

const LOG_EVERY_MS = 5000;

/** Slow only on the first start after an upgrade from a version without lists: five or six seconds per million calls. */
export async function listOlderCalls(database: ControlDatabase, log: Log): Promise<void> {
  let loggedAt = performance.now();
  await listOlderFacts(database, (listedSeq, derivedSeq) => {
    if (performance.now() - loggedAt < LOG_EVERY_MS) return;
    loggedAt = performance.now();
    log("info", "listing the calls made before the upgrade; the web API starts when this is done", {
      listed_up_to: listedSeq,
      read_up_to: derivedSeq,
    });
  });
}
