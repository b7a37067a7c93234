import type { Log } from "@tollgate/core/log";
import {
  type ControlDatabase,
  type ControlDatabaseOptions,
  openControlDatabase,
  type Purpose,
} from "@tollgate/storage/database/open-control-database";
import { DatabaseUnavailable } from "@tollgate/storage/engine/database-unavailable";
import { backOffMs } from "@tollgate/storage/following/back-off";

/** Waits for a database that is still starting; the gateway serves from its copy in the meantime. */
export async function waitForDatabase(
  options: ControlDatabaseOptions,
  log: Log,
  purpose: Purpose = "use",
): Promise<ControlDatabase> {
  for (let faults = 1; ; faults++) {
    try {
      return await openControlDatabase(options, purpose);
    } catch (fault) {
      if (!(fault instanceof DatabaseUnavailable)) throw fault;
      log("error", `${fault.message}; retrying`);
      await Bun.sleep(backOffMs(faults));
    }
  }
}
