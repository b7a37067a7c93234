import { createIdentity } from "@tollgate/control/auth/create-identity";
import { createSignInLink } from "@tollgate/control/auth/create-sign-in-link";
import { createUser, type NewUser } from "@tollgate/control/auth/create-user";
import type { Role } from "@tollgate/core/contract/operation";
import type { ControlDatabase } from "@tollgate/storage/control/open-control-database";
import type { Config } from "./config.ts";
import { keepSecret } from "./keep-secret.ts";
import { linkAddress } from "./link-address.ts";
import { logToStderr } from "./log-to-stderr.ts";

export interface Invited {
  readonly role: Role;
  /** Signs them in once; null where people sign in at an identity provider. */
  readonly signInLink: string | null;
}

/** Makes somebody a member. */
export async function invite(config: Config, database: ControlDatabase, user: NewUser): Promise<Invited> {
  const identity = await createIdentity({
    db: database.db,
    engine: database.engine,
    // At an identity provider nobody needs a link.
    publicUrl: config.oidc ? config.publicUrl : linkAddress(config),
    secret: keepSecret(config),
    oidc: config.oidc,
    log: logToStderr,
  });
  const role = await createUser(identity, user);
  return { role, signInLink: config.oidc ? null : await createSignInLink(identity, user.email) };
}
