import { fail } from "@tollgate/core/errors";
import { DAY_MS } from "@tollgate/core/time/durations";
import { digestOf } from "@tollgate/storage/config/api-key";
import { createLocalAccountIssuer } from "better-auth/db";
import type { Account, Accounts } from "../../kernel/accounts.ts";
import { AUTH_PATH, type BetterAuth } from "./better-auth.ts";
import { slotsOfAccount } from "./hashing-slots.ts";
import type { PasswordHasher } from "./password-hasher.ts";
import { newSecondName } from "./second-name.ts";
import type { SignInAttempts } from "./sign-in-attempts.ts";

interface StoredAccountsOptions {
  readonly auth: BetterAuth;
  readonly attempts: SignInAttempts;
  readonly passwords: PasswordHasher;
  readonly external: boolean;
  readonly publicUrl: string;
}

/** Accounts in better-auth's tables. Session tokens stay inside; outside, a session is known by its id. */
export async function storedAccounts(options: StoredAccountsOptions): Promise<Accounts> {
  const { passwords } = options;
  const { adapter, internalAdapter } = await options.auth.$context;
  const passwordOf = async (userId: string) =>
    (await internalAdapter.findCredentialAccount(userId))?.password ?? null;
  const liveSessions = (userId: string) => internalAdapter.listSessions(userId, { onlyActiveSessions: true });
  const endByToken = async (tokens: readonly string[]) => {
    if (tokens.length > 0) await internalAdapter.deleteSessions([...tokens]);
  };
  const linkPassword = async (userId: string, hash: string) => {
    await internalAdapter.linkAccount({
      userId,
      providerId: "credential",
      issuer: createLocalAccountIssuer("credential"),
      accountId: userId,
      password: hash,
    });
  };

  return {
    external: options.external,

    async findByEmail(email) {
      const found = await internalAdapter.findUserByEmail(normalEmail(email));
      return found ? toAccount(found.user) : null;
    },

    async findById(userId) {
      const user = await internalAdapter.findUserById(userId);
      return user ? toAccount(user) : null;
    },

    async create(email, passwordHash) {
      const address = normalEmail(email);
      const isTaken = (await internalAdapter.findUserByEmail(address)) !== null;
      const names = isTaken ? { email: newSecondName(), address } : { email: address };
      // Verified: the operator or admin who adds a person vouches for the address, and only they get the link.
      const user = await internalAdapter.createUser(
        { ...names, name: "", emailVerified: true },
        { method: "admin" },
      );
      if (passwordHash !== undefined) await linkPassword(user.id, passwordHash);
      return { ...toAccount(user), signInName: user.email };
    },

    async signInLink(userId, validMs = DAY_MS) {
      if (options.external) {
        throw fail("invalid_request", "There are no sign-in links: people sign in at the identity provider");
      }
      const token = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
      const user = await internalAdapter.findUserById(userId);
      if (!user) throw fail("not_found", "There is no such account");
      const value = JSON.stringify({ email: user.email });
      // Only the newest link works, so creating another revokes one that was given to the wrong person.
      await adapter.deleteMany({ model: "verification", where: [{ field: "value", value }] });
      await internalAdapter.createVerificationValue({
        identifier: digestOf(token),
        value,
        expiresAt: new Date(Date.now() + validMs),
      });
      return `${options.publicUrl}${AUTH_PATH}/magic-link/verify?token=${token}&callbackURL=%2Fwelcome`;
    },

    async hasPassword(userId) {
      return (await passwordOf(userId)) !== null;
    },

    async isPassword(account, password) {
      return await passwords.admit(slotsOfAccount(account.id), async () => {
        const attempt = await options.attempts.begin(account.email, null);
        const hash = await passwordOf(account.id);
        const isRight = hash !== null && (await passwords.verify({ hash, password }));
        if (isRight) await attempt.succeeded();
        return isRight;
      });
    },

    async setPassword(userId, password) {
      const hash = await passwords.admit(slotsOfAccount(userId), () => passwords.hash(password));
      if (await internalAdapter.findCredentialAccount(userId)) {
        await internalAdapter.updatePassword(userId, hash);
        return;
      }
      await linkPassword(userId, hash);
    },

    async sessions(userId) {
      const sessions = await liveSessions(userId);
      return sessions
        .map(session => ({
          id: session.id,
          createdAt: session.createdAt.getTime(),
          expiresAt: session.expiresAt.getTime(),
          userAgent: session.userAgent || null,
        }))
        .sort((a, b) => b.createdAt - a.createdAt);
    },

    async endSession(userId, sessionId) {
      const ended = (await liveSessions(userId)).filter(session => session.id === sessionId);
      await endByToken(ended.map(session => session.token));
      return ended.length > 0;
    },

    async endOtherSessions(userId, keptSessionId) {
      const others = (await liveSessions(userId)).filter(session => session.id !== keptSessionId);
      await endByToken(others.map(session => session.token));
    },

    async endSessions(userId) {
      await internalAdapter.deleteUserSessions(userId);
    },
  };
}

/** A link lets a person choose a password, so it ends the previous one, forgotten or stolen. */
export async function forgetPassword(auth: BetterAuth, userId: string): Promise<void> {
  const { internalAdapter } = await auth.$context;
  const credential = await internalAdapter.findCredentialAccount(userId);
  if (credential) await internalAdapter.deleteAccount(credential.id);
}

export function normalEmail(email: string): string {
  return email.trim().toLowerCase();
}

interface StoredUser {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly address?: unknown;
}

export function toAccount({ id, email, name, address }: StoredUser): Account {
  return { id, email: typeof address === "string" ? address : email, name };
}
