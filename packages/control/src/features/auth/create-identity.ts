import type { Log } from "@tollgate/core/log";
import { BodyRoom } from "@tollgate/core/wire/body-room";
import { REQUEST_TIMEOUT_MS, RequestBodies } from "@tollgate/core/wire/request-bodies";
import { TrustedProxies } from "@tollgate/core/wire/trusted-proxies";
import { newId } from "@tollgate/storage/config/new-id";
import type { ControlDb } from "@tollgate/storage/database/schema";
import type { Engine } from "@tollgate/storage/engine/engine";
import type { Accounts } from "../../kernel/accounts.ts";
import type { ResolvePrincipal } from "../../kernel/context.ts";
import { acceptancesOf } from "./acceptances-of.ts";
import { type BetterAuthSettings, betterAuthOptions, createBetterAuth } from "./better-auth.ts";
import { type HandleIdentity, identityRoutes } from "./identity-routes.ts";
import { joinOrganizations } from "./join-organizations.ts";
import { migrateIdentity } from "./migrate-identity.ts";
import { MIN_SECRET_LENGTH } from "./min-secret-length.ts";
import { createOidcAuth, type OidcSettings } from "./oidc-auth.ts";
import { ownOrigins } from "./own-origin.ts";
import { type PasswordHasher, passwordHasher } from "./password-hasher.ts";
import { principalResolver } from "./resolve-principal.ts";
import { SignInAttempts } from "./sign-in-attempts.ts";
import { forgetPassword, storedAccounts, toAccount } from "./stored-accounts.ts";

export interface IdentityOptions {
  readonly db: ControlDb;
  readonly engine: Engine;
  /** The public URL without a trailing slash: for links, cookies and the identity provider's callback. */
  readonly publicUrl: string;
  /** Further addresses of ours, such as the one we listen on. */
  readonly origins?: readonly string[];
  /** Signs session cookies. Changing it ends every session; nothing else depends on it. */
  readonly secret: string;
  /** null: e-mail and password. */
  readonly oidc: OidcSettings | null;
  /** Absent if nobody signs in over HTTP. */
  readonly bodies?: RequestBodies;
  /** Absent: none. */
  readonly trustedProxies?: TrustedProxies;
  /** Absent: this process's own. */
  readonly passwords?: PasswordHasher;
  readonly log: Log;
  readonly now?: () => number;
}

export interface Identity {
  readonly db: ControlDb;
  readonly accounts: Accounts;
  readonly now: () => number;
  readonly resolvePrincipal: ResolvePrincipal;
  /**
   * Answers `/api/auth/*`, `/sign-in*` and `/welcome`; null: not one of its paths. `peer` is the address of the
   * connection. Throws `TollgateError`, like a handler.
   */
  readonly handle: HandleIdentity;
}

export async function createIdentity(options: IdentityOptions): Promise<Identity> {
  const { db, oidc, log, publicUrl } = options;
  if (options.secret.length < MIN_SECRET_LENGTH) {
    throw new Error(`the secret that signs sessions needs at least ${MIN_SECRET_LENGTH} characters`);
  }
  const now = options.now ?? Date.now;
  const passwords = options.passwords ?? passwordHasher;
  const origins = ownOrigins([publicUrl, ...(options.origins ?? [])]);
  const settings: BetterAuthSettings = {
    db,
    engine: options.engine,
    publicUrl,
    origins: [...origins],
    secret: options.secret,
    passwords,
    onFault: message => log("warn", "identity", { fault: message }),
    // The account may be older than the identity provider: whoever had its password is not known to be this person.
    onIdentified: async userId => {
      await forgetPassword(auth, userId);
      await accounts.endSessions(userId);
    },
    onSignIn: async ({ id: sessionId, userId, userAgent }, byLink) => {
      const user = await (await auth.$context).internalAdapter.findUserById(userId);
      if (!user) return;
      if (byLink) {
        // A person who needs a link may have lost control of the account, so it ends all earlier sessions.
        await forgetPassword(auth, userId);
        await accounts.endOtherSessions(userId, sessionId);
      }
      const { email } = toAccount(user);
      // The library is not told the address of the client.
      const person = { email, sessionId, ip: null, userAgent: userAgent ?? null };
      await joinOrganizations(db, acceptancesOf(db, person, now), {
        userId,
        email: user.email,
        isVouchedFor: user.emailVerified,
        external: oidc !== null,
        byLink,
        now: now(),
        newId,
      });
    },
  };
  await migrateIdentity(db, options.engine, betterAuthOptions(settings));
  const auth = createBetterAuth(settings);
  const attempts = new SignInAttempts(db, now);
  const accounts = await storedAccounts({ auth, attempts, passwords, external: oidc !== null, publicUrl });
  return {
    db,
    accounts,
    now,
    resolvePrincipal: principalResolver({ db, auth, origins }),
    handle: identityRoutes({
      db,
      now,
      auth,
      accounts,
      attempts,
      passwords,
      origins,
      publicUrl,
      bodies: options.bodies ?? new RequestBodies(REQUEST_TIMEOUT_MS, BodyRoom.ofMachine(0)),
      trustedProxies: options.trustedProxies ?? TrustedProxies.none,
      log,
      oidcAuth: oidc && (() => createOidcAuth(settings, oidc)),
    }),
  };
}
