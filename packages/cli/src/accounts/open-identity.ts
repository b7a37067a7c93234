import { createIdentity, type Identity } from "@tollgate/control/features/auth/create-identity";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import type { Config } from "../config/config.ts";
import { UsageError } from "../config/usage-error.ts";
import { findRunningInstance } from "../data-directory/instance.ts";
import { loadOrCreateSecret } from "../data-directory/load-or-create-secret.ts";
import { logToStderr } from "../output/log-to-stderr.ts";

/** Accounts and sign-in links, for commands. */
export async function openIdentity(config: Config, database: ControlDatabase): Promise<Identity> {
  return await createIdentity({
    db: database.db,
    engine: database.engine,
    // With an identity provider, members need no link.
    publicUrl: config.oidc ? config.publicUrl : linkAddress(config),
    secret: loadOrCreateSecret(config),
    oidc: config.oidc,
    log: logToStderr,
  });
}

/**
 * The base address of links that a command prints: `SVC_PUBLIC_URL`, otherwise the address of the instance running on
 * the data directory, otherwise the configured one. An address left behind by a stopped instance is not used.
 */
function linkAddress(config: Config): string {
  if (config.isPublicUrlGiven) return config.publicUrl;
  const addresses = findRunningInstance(config.dataDir)?.addresses;
  const running = addresses?.public ?? addresses?.web;
  if (running) return running;
  if (config.webPort === 0) {
    throw new UsageError(
      "with SVC_WEB_PORT=0 the address is known only while Tollgate is running: start it first, or set SVC_PUBLIC_URL",
    );
  }
  return config.publicUrl;
}
