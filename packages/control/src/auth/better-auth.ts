import { digestOf } from "@tollgate/storage/config/api-key";
import type { ControlSchema } from "@tollgate/storage/database/schema";
import { type BetterAuthOptions, betterAuth } from "better-auth";
import { magicLink } from "better-auth/plugins/magic-link";
import type { Kysely } from "kysely";
import type { PasswordHasher } from "./password-hasher.ts";

export const AUTH_PATH = "/api/auth";
/** Unless it is used: each day of use begins it anew. */
const SESSION_SECONDS = 7 * 86_400;
const HOUR_SECONDS = 3600;

export interface BetterAuthSettings {
  readonly db: Kysely<ControlSchema>;
  readonly engine: "sqlite" | "postgres";
  readonly publicUrl: string;
  readonly origins: readonly string[];
  readonly secret: string;
  readonly passwords: PasswordHasher;
  /** The library's own complaints, without what it choked on. */
  readonly onFault: (message: string) => void;
  /** After each sign-in, whatever the way: `byLink` when it was a one-time link. */
  readonly onSignIn: (userId: string, sessionId: string, byLink: boolean) => Promise<void>;
}

/**
 * Users, sessions and the ways to sign in are better-auth's; memberships are ours. Nothing here depends on how it
 * was started: it would leave out its own origin checks under `NODE_ENV=test`, so they are asked for by name.
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
    // Our own lock-out counts in the database; the library's counts in memory and trusts forwarded addresses.
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
      // Set where `email` is a name of our own making, because another account has the address already.
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
      // Its arguments can hold tokens, its sentences can quote addresses: only plain words go out.
      log: (_level, message) =>
        settings.onFault(isPlain(message) ? message : "a fault in the identity library"),
    },
    onAPIError: { errorURL: `${settings.publicUrl}/sign-in` },
    databaseHooks: {
      session: {
        create: {
          after: async (session, context) => {
            await settings.onSignIn(session.userId, session.id, context?.path === "/magic-link/verify");
          },
        },
      },
      account: {
        // We never act on behalf of a person at their identity provider: what is not kept cannot leak.
        create: { before: async () => ({ data: noTokens }) },
        update: { before: async account => ({ data: { ...account, ...noTokens } }) },
      },
    },
    plugins: [
      magicLink({
        disableSignUp: true,
        storeToken: { type: "custom-hasher", hash: async token => digestOf(token) },
        // Links are made by us, never on a stranger's request: its endpoint is not mounted.
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
