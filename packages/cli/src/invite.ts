import { createIdentity } from "@tollgate/control/auth/create-identity";
import { createSignInLink } from "@tollgate/control/auth/create-sign-in-link";
import { createUser, type NewUser } from "@tollgate/control/auth/create-user";
import type { ControlDatabase } from "@tollgate/storage/control/open-control-database";
import type { Config } from "./config.ts";
import { keepSecret } from "./keep-secret.ts";
import { logToStderr } from "./log-to-stderr.ts";

/** Makes somebody a member. The link signs them in once; null where people sign in at an identity provider. */
export async function invite(
  config: Config,
  database: ControlDatabase,
  user: NewUser,
): Promise<string | null> {
  const identity = await createIdentity({
    db: database.db,
    engine: database.engine,
    publicUrl: config.publicUrl,
    secret: keepSecret(config),
    oidc: config.oidc,
    log: logToStderr,
  });
  await createUser(identity, user);
  return config.oidc ? null : await createSignInLink(identity, user.email);
}
