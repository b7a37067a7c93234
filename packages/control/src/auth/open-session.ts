import { fail } from "@tollgate/core/errors";
import { z } from "zod";
import { AUTH_PATH, type BetterAuth } from "./better-auth.ts";
import { agentOf } from "./private-answer.ts";

const answered = z.object({ user: z.object({ id: z.string(), name: z.string() }) });

export interface OpenedSession {
  readonly userId: string;
  readonly name: string;
  readonly setCookies: readonly string[];
}

/**
 * Signs in with a password; null: it is not this account's. The request is made anew, without its cookies: a session
 * that was planted before cannot become the person's.
 */
export async function openSession(
  { auth, publicUrl }: { readonly auth: BetterAuth; readonly publicUrl: string },
  request: Request,
  email: string,
  password: string,
): Promise<OpenedSession | null> {
  const headers = agentOf(request);
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
  // Without the token that the library would add: it is the cookie's, and no script's.
  const { user } = answered.parse(await answer.json());
  return { userId: user.id, name: user.name, setCookies: answer.headers.getSetCookie() };
}
