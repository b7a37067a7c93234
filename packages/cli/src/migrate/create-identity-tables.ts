import { createIdentity } from "@tollgate/control/features/auth/create-identity";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import type { Config } from "../config/config.ts";
import { logToStderr } from "../output/log-to-stderr.ts";

export async function createIdentityTables(config: Config, { db, engine }: ControlDatabase): Promise<void> {
  await createIdentity({
    db,
    engine,
    publicUrl: config.publicUrl,
    // Signs sessions; the tables do not depend on it.
    secret: crypto.randomUUID(),
    oidc: config.oidc,
    log: logToStderr,
  });
}
