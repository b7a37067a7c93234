import { fail } from "@tollgate/core/errors";
import { networkOf } from "@tollgate/core/wire/ip-address";
import type { RequestBodies } from "@tollgate/core/wire/request-bodies";
import type { TrustedProxies } from "@tollgate/core/wire/trusted-proxies";
import type { ControlDb } from "@tollgate/storage/database/schema";
import { z } from "zod";
import type { BetterAuth } from "./better-auth.ts";
import { slotsOfClient } from "./hashing-slots.ts";
import { openSession, signInNames } from "./open-session.ts";
import { requireJson, requireOwnOrigin } from "./own-origin.ts";
import type { PasswordHasher } from "./password-hasher.ts";
import { privately } from "./private-answer.ts";
import { readSmallJson } from "./read-small-json.ts";
import type { SignInAttempts } from "./sign-in-attempts.ts";
import { normalEmail } from "./stored-accounts.ts";

const credentials = z.object({ email: z.email().max(320), password: z.string().min(1).max(1024) });

export interface PasswordSignInOptions {
  readonly db: ControlDb;
  readonly auth: BetterAuth;
  readonly attempts: SignInAttempts;
  readonly passwords: PasswordHasher;
  readonly origins: ReadonlySet<string>;
  readonly publicUrl: string;
  readonly bodies: RequestBodies;
  readonly trustedProxies: TrustedProxies;
}

/**
 * The same answer for an unknown address, a wrong password and an account without one: nobody learns who has an
 * account.
 */
export function passwordSignIn(options: PasswordSignInOptions) {
  const { db, attempts, passwords, origins, bodies, trustedProxies } = options;
  return async (request: Request, peer: string | null): Promise<Response> => {
    // A program sends neither header and has no cookie to abuse; a browser always sends one.
    requireOwnOrigin(request, origins, "allow");
    requireJson(request);
    const parsed = credentials.safeParse(await readSmallJson(request, bodies));
    if (!parsed.success) throw fail("invalid_request", "email and password are required");
    const email = normalEmail(parsed.data.email);
    const client = trustedProxies.clientOf(request.headers, peer);
    return await passwords.admit(slotsOfClient(client), async () => {
      const attempt = await attempts.begin(email, client && networkOf(client));
      const session = await openSession(options, request, await signInNames(db, email), parsed.data.password);
      if (session === null) throw fail("sign_in_failed", "E-mail or password is wrong");
      await attempt.succeeded();
      const { userId: id, name, setCookies } = session;
      return privately(Response.json({ user: { id, email, name } }), setCookies);
    });
  };
}
