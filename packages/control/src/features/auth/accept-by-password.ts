import { fail } from "@tollgate/core/errors";
import { formatIpAddress, networkOf } from "@tollgate/core/wire/ip-address";
import { z } from "zod";
import type { Accounts } from "../../kernel/accounts.ts";
import { acceptancesOf } from "./acceptances-of.ts";
import { slotsOfClient } from "./hashing-slots.ts";
import { claimInvitation, findInvitation, isInvitationCode } from "./invitation.ts";
import { type OpenedSession, openSession, signInNames } from "./open-session.ts";
import { requireJson, requireOwnOrigin } from "./own-origin.ts";
import type { PasswordSignInOptions } from "./password-sign-in.ts";
import { privately } from "./private-answer.ts";
import { readSession } from "./read-session.ts";
import { readSmallJson } from "./read-small-json.ts";
import { refuseCommonPassword } from "./refuse-common-password.ts";

const input = z.object({
  invitation: z.string().refine(isInvitationCode),
  password: z.string().min(8).max(128),
});

interface AcceptByPasswordOptions extends PasswordSignInOptions {
  readonly accounts: Accounts;
  readonly now: () => number;
}

/**
 * Accepts an invitation with its code and a password. If the password opens an account of the invited address, that
 * account joins. Otherwise a new account is created, even if another account has the same address; that one is left
 * untouched. Both cases look alike from outside, so nobody learns who has an account here.
 */
export function acceptByPassword(options: AcceptByPasswordOptions) {
  const { db, auth, attempts, passwords, accounts, origins, publicUrl, bodies, trustedProxies, now } =
    options;
  return async (request: Request, peer: string | null): Promise<Response> => {
    requireOwnOrigin(request, origins, "allow");
    requireJson(request);
    const parsed = input.safeParse(await readSmallJson(request, bodies));
    if (!parsed.success)
      throw fail("invalid_request", "an invitation code and a password of 8 to 128 characters are required");
    const { invitation: code, password } = parsed.data;
    const invitation = await findInvitation(db, code, now());
    if (!invitation) throw ended();
    const { email } = invitation;
    refuseCommonPassword(password, email);

    const client = trustedProxies.clientOf(request.headers, peer);
    const session = await passwords.admit(slotsOfClient(client), async () => {
      // Counted like a sign-in even if a new account is created; otherwise invitations would be a way to guess
      // passwords.
      const attempt = await attempts.begin(email, client && networkOf(client));
      const known = await openSession(options, request, await signInNames(db, email), password);
      if (known) await attempt.succeeded();
      return known ?? (await newAccount(email, password, request));
    });
    const person = {
      email,
      sessionId: await sessionIdOf(session),
      ip: client && formatIpAddress(client),
      userAgent: request.headers.get("user-agent"),
    };
    const audited = acceptancesOf(db, person, now);
    if (!(await claimInvitation(audited, code, { id: session.userId, email }, now()))) throw ended();
    return privately(Response.json({ success: true }), session.setCookies);
  };

  async function sessionIdOf({ setCookies }: OpenedSession): Promise<string | null> {
    const cookie = setCookies.map(set => set.split(";")[0]).join("; ");
    const isRecheck = true;
    const session = await readSession(auth, new Request(publicUrl, { headers: { cookie } }), isRecheck);
    return session?.sessionId ?? null;
  }

  async function newAccount(email: string, password: string, request: Request): Promise<OpenedSession> {
    const account = await accounts.create(email, await passwords.hash(password));
    const session = await openSession(options, request, [account.signInName], password);
    if (!session) throw new Error("could not sign in to the new account");
    return session;
  }
}

function ended() {
  return fail("not_found", "This invitation has been used or revoked, or has expired. Ask for a new one.");
}
