import { createSignInLink } from "@tollgate/control/features/auth/create-sign-in-link";
import { createUser, type NewUser } from "@tollgate/control/features/auth/create-user";
import type { Role } from "@tollgate/core/contract/operation";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import type { Config } from "../config/config.ts";
import { openIdentity } from "./open-identity.ts";

interface Invited {
  readonly role: Role;
  /** A one-time link; null: people sign in at an identity provider. */
  readonly signInLink: string | null;
}

export async function invite(config: Config, database: ControlDatabase, user: NewUser): Promise<Invited> {
  const identity = await openIdentity(config, database);
  const role = await createUser(identity, user);
  return {
    role,
    signInLink: config.oidc ? null : await createSignInLink(identity, user.email, { orgId: user.orgId }),
  };
}
