import { createIdentity, type Identity } from "@tollgate/control/auth/create-identity";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import type { Config } from "./config.ts";
import { keepSecret } from "./keep-secret.ts";
import { linkAddress } from "./link-address.ts";
import { logToStderr } from "./log-to-stderr.ts";

/** Accounts and sign-in links, for commands. */
export async function openIdentity(config: Config, database: ControlDatabase): Promise<Identity> {
  return await createIdentity({
    db: database.db,
    engine: database.engine,
    // With an identity provider, members need no link.
    publicUrl: config.oidc ? config.publicUrl : linkAddress(config),
    secret: keepSecret(config),
    oidc: config.oidc,
    log: logToStderr,
  });
}
