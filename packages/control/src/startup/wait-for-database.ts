import type { Log } from "@tollgate/core/log";
import {
  type ControlDatabase,
  type ControlDatabaseOptions,
  openControlDatabase,
  type Purpose,
} from "@tollgate/storage/database/open-control-database";
import { untilAvailable } from "@tollgate/storage/following/until-available";

/** Waits for a database that is still starting; the gateway serves from its copy in the meantime. */
export async function waitForDatabase(
  options: ControlDatabaseOptions,
  log: Log,
  purpose: Purpose = "use",
): Promise<ControlDatabase> {
  return await untilAvailable(
    () => openControlDatabase(options, purpose),
    fault => log("error", `${fault.message}; retrying`, { fault: fault.name }),
  );
}
