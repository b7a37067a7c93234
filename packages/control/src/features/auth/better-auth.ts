import { digestOf } from "@tollgate/storage/config/api-key";
import type { ControlDb } from "@tollgate/storage/database/schema";
import type { Engine } from "@tollgate/storage/engine/engine";
import { type BetterAuthOptions, betterAuth } from "better-auth";
import { magicLink } from "better-auth/plugins/magic-link";
import type { PasswordHasher } from "./password-hasher.ts";

export const AUTH_PATH = "/api/auth";
/** A session expires after this long without use; each day of use renews it. */
const SESSION_SECONDS = 7 * 86_400;
const HOUR_SECONDS = 3600;

interface NewSession {
  readonly id: string;
  readonly userId: string;
  readonly userAgent?: string | null | undefined;
}

export interface BetterAuthSettings {
  readonly db: ControlDb;
  readonly engine: Engine;
  readonly publicUrl: string;
  readonly origins: readonly string[];
  readonly secret: string;
  readonly passwords: PasswordHasher;
  /** The library's log messages, without their arguments. */
  readonly onFault: (message: string) => void;
  /** Runs after every sign-in of any kind; `byLink`: it was a one-time link. */
  readonly onSignIn: (session: NewSession, byLink: boolean) => Promise<void>;
  /** Runs when a person signs in at the identity provider for the first time, before their session. */
  readonly onIdentified: (userId: string) => Promise<void>;
}

/**
 * better-auth owns users, sessions and sign-in methods; memberships are ours. Nothing here depends on the
 * environment: under `NODE_ENV=test` the library would skip its origin checks, so they are enabled explicitly.
 */
export function betterAuthOptions(settings: BetterAuthSettings) {
  return {
    appName: "Tollgate",
    baseURL: settings.publicUrl,
    basePath: AUTH_PATH,
    secret: settings.secret,
    database: { db: settings.db, type: settings.engine },
    trustedOrigins: [...settings.origins],
    telemetry: { enabled: false },
    // Our lock-out counts in the database; the library's counts in memory and trusts forwarded addresses.
    rateLimit: { enabled: false },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: 8,
      maxPasswordLength: 128,
      password: {
        hash: password => settings.passwords.hash(password),
        verify: attempt => settings.passwords.verify(attempt),
      },
    },
    user: {
      modelName: "auth_users",
      // Set where `email` is a generated name, because another account already has the address.
      additionalFields: { address: { type: "string", required: false, input: false } },
    },
    session: { modelName: "auth_sessions", expiresIn: SESSION_SECONDS, updateAge: HOUR_SECONDS },
    account: { modelName: "auth_accounts" },
    verification: { modelName: "auth_verifications" },
    advanced: {
      cookiePrefix: "tollgate",
      useSecureCookies: settings.publicUrl.startsWith("https://"),
      defaultCookieAttributes: { httpOnly: true, sameSite: "lax" },
      disableOriginCheck: false,
      disableCSRFCheck: false,
      ipAddress: { disableIpTracking: true },
      database: { generateId: () => crypto.randomUUID() },
    },
    logger: {
      level: "error",
      // Its arguments can hold tokens and its messages can quote addresses: only plain words are logged.
      log: (_level, message) =>
        settings.onFault(isPlain(message) ? message : "a fault in the identity library"),
    },
    onAPIError: { errorURL: `${settings.publicUrl}/sign-in` },
    databaseHooks: {
      session: {
        create: {
          after: async (session, context) => {
            await settings.onSignIn(session, context?.path === "/magic-link/verify");
          },
        },
      },
      account: {
        // We never act on a person's behalf at their identity provider; tokens that are not stored cannot leak.
        create: {
          before: async () => ({ data: noTokens }),
          after: async account => {
            if (account.providerId !== "credential") await settings.onIdentified(account.userId);
          },
        },
        update: { before: async account => ({ data: { ...account, ...noTokens } }) },
      },
    },
    plugins: [
      magicLink({
        disableSignUp: true,
        storeToken: { type: "custom-hasher", hash: async token => digestOf(token) },
        // Only we create links, never on a stranger's request: the library's endpoint is not mounted.
        sendMagicLink: async () => {},
      }),
    ],
  } satisfies BetterAuthOptions;
}

function isPlain(message: unknown): message is string {
  return typeof message === "string" && message.length <= 160 && !/[@/\\{=]/.test(message);
}

const noTokens = { accessToken: null, refreshToken: null, idToken: null };

export function createBetterAuth(settings: BetterAuthSettings) {
  return betterAuth(betterAuthOptions(settings));
}

export type BetterAuth = ReturnType<typeof createBetterAuth>;
