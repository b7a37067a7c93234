import { fail } from "@tollgate/core/errors";
import type { ControlDb } from "@tollgate/storage/database/schema";
import { z } from "zod";
import { AUTH_PATH, type BetterAuth } from "./better-auth.ts";
import type { IdentitySchema } from "./migrate-identity.ts";
import { userAgentOf } from "./user-agent-of.ts";

const answered = z.object({ user: z.object({ id: z.string(), name: z.string() }) });

export interface OpenedSession {
  readonly userId: string;
  readonly name: string;
  readonly setCookies: readonly string[];
}

/**
 * The library's names for the accounts of an address. An organization can invite any address, so several accounts may
 * have it; the password decides which is meant. A second account counts only while it belongs to an organization, so
 * there are no more of them than organizations.
 */
export async function signInNames(db: ControlDb, address: string): Promise<string[]> {
  const rows = await db
    .withTables<Pick<IdentitySchema, "auth_users">>()
    .selectFrom("auth_users")
    .select("email")
    .where("address", "=", address)
    .where(({ exists, selectFrom }) =>
      exists(selectFrom("members").select("members.id").whereRef("members.user_id", "=", "auth_users.id")),
    )
    .orderBy("email")
    .execute();
  return [address, ...rows.map(({ email }) => email)];
}

/**
 * Signs in with a password to the first of these accounts that has it; null: none. The request is rebuilt without its
 * cookies, so that a planted session cannot become the person's.
 */
export async function openSession(
  { auth, publicUrl }: { readonly auth: BetterAuth; readonly publicUrl: string },
  request: Request,
  names: readonly string[],
  password: string,
): Promise<OpenedSession | null> {
  for (const name of names) {
    const session = await tryAccount(auth, publicUrl, request, name, password);
    if (session) return session;
  }
  return null;
}

async function tryAccount(
  auth: BetterAuth,
  publicUrl: string,
  request: Request,
  email: string,
  password: string,
): Promise<OpenedSession | null> {
  const headers = userAgentOf(request);
  headers.set("content-type", "application/json");
  const answer = await auth.handler(
    new Request(`${publicUrl}${AUTH_PATH}/sign-in/email`, {
      method: "POST",
      headers,
      body: JSON.stringify({ email, password }),
    }),
  );
  if (answer.status >= 500) throw fail("internal", "The sign-in could not be checked");
  if (!answer.ok) return null;
  // Without the token that the library would add: only the cookie carries it, no script may read it.
  const { user } = answered.parse(await answer.json());
  return { userId: user.id, name: user.name, setCookies: answer.headers.getSetCookie() };
}
