import { fail } from "@tollgate/core/errors";
import { networkOf } from "@tollgate/core/ip-address";
import type { RequestBodies } from "@tollgate/core/request-bodies";
import type { TrustedProxies } from "@tollgate/core/trusted-proxies";
import { z } from "zod";
import { AUTH_PATH, type BetterAuth } from "./better-auth.ts";
import { requireJson, requireOwnOrigin } from "./own-origin.ts";
import { agentOf, privately } from "./private-answer.ts";
import { readSmallJson } from "./read-small-json.ts";
import type { SignInAttempts } from "./sign-in-attempts.ts";
import { normalEmail } from "./stored-accounts.ts";

const credentials = z.object({ email: z.email().max(320), password: z.string().min(1).max(1024) });
const signedIn = z.object({ user: z.object({ id: z.string(), email: z.string(), name: z.string() }) });

export interface PasswordSignInOptions {
  readonly auth: BetterAuth;
  readonly attempts: SignInAttempts;
  readonly origins: ReadonlySet<string>;
  readonly publicUrl: string;
  readonly bodies: RequestBodies;
  readonly trustedProxies: TrustedProxies;
}

/**
 * One answer for an unknown address, a wrong password and an account without one: nobody learns who has an account.
 * The request is made anew, without its cookies: a session that was planted before cannot become the person's.
 */
export function passwordSignIn(options: PasswordSignInOptions) {
  const { auth, attempts, origins, publicUrl, bodies, trustedProxies } = options;
  return async (request: Request, peer: string | null): Promise<Response> => {
    // A program sends neither header, and brings no cookie to misuse; a browser always sends one.
    requireOwnOrigin(request, origins, "allow");
    requireJson(request);
    const parsed = credentials.safeParse(await readSmallJson(request, bodies));
    if (!parsed.success) throw fail("invalid_request", "email and password are needed");
    const email = normalEmail(parsed.data.email);
    const client = trustedProxies.clientOf(request.headers, peer);
    const attempt = await attempts.begin(email, client && networkOf(client));

    const headers = agentOf(request);
    headers.set("content-type", "application/json");
    const answer = await auth.handler(
      new Request(`${publicUrl}${AUTH_PATH}/sign-in/email`, {
        method: "POST",
        headers,
        body: JSON.stringify({ email, password: parsed.data.password }),
      }),
    );
    if (answer.status >= 500) throw fail("internal", "The sign-in could not be checked");
    if (!answer.ok) throw fail("sign_in_failed", "E-mail or password is wrong");
    await attempt.succeeded();
    // Without the token that the library would add: it is the cookie's, and no script's.
    const { user } = signedIn.parse(await answer.json());
    return privately(
      Response.json({ user: { id: user.id, email: user.email, name: user.name } }),
      answer.headers.getSetCookie(),
    );
  };
}
