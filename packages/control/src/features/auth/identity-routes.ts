import { fail } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import type { RequestBodies } from "@tollgate/core/wire/request-bodies";
import type { TrustedProxies } from "@tollgate/core/wire/trusted-proxies";
import type { ControlDb } from "@tollgate/storage/database/schema";
import type { Accounts } from "../../kernel/accounts.ts";
import { invitationPage } from "../../pages/invitation-page.ts";
import { pageAssets } from "../../pages/page-assets.ts";
import { pageResponse } from "../../pages/page-response.ts";
import { signInPage } from "../../pages/sign-in-page.ts";
import { welcomePage } from "../../pages/welcome-page.ts";
import { acceptByPassword } from "./accept-by-password.ts";
import { AUTH_PATH, type BetterAuth } from "./better-auth.ts";
import { findInvitation, isInvitationCode } from "./invitation.ts";
import { OIDC_PROVIDER } from "./oidc-auth.ts";
import { OidcSignIn, type StartOidcAuth } from "./oidc-sign-in.ts";
import { requireJson, requireOwnOrigin } from "./own-origin.ts";
import type { PasswordHasher } from "./password-hasher.ts";
import { passwordSignIn } from "./password-sign-in.ts";
import { goTo, privately, relativeRedirect } from "./private-answer.ts";
import { readSession } from "./read-session.ts";
import type { SignInAttempts } from "./sign-in-attempts.ts";
import { userAgentOf } from "./user-agent-of.ts";

interface IdentityRoutesOptions {
  readonly db: ControlDb;
  readonly auth: BetterAuth;
  readonly accounts: Accounts;
  readonly attempts: SignInAttempts;
  readonly passwords: PasswordHasher;
  readonly origins: ReadonlySet<string>;
  readonly publicUrl: string;
  readonly bodies: RequestBodies;
  readonly trustedProxies: TrustedProxies;
  readonly log: Log;
  readonly now: () => number;
  readonly oidcAuth: StartOidcAuth | null;
}

/** null: not one of our paths. */
export type HandleIdentity = (request: Request, peer: string | null) => Promise<Response | null>;

type Route = (request: Request, peer: string | null) => Promise<Response>;

/**
 * Every public route of identity. Everything else that the library could answer (sign-up, linking, changing an
 * address, identity provider tokens) is not mounted, so it cannot be misconfigured.
 */
export function identityRoutes(options: IdentityRoutesOptions): HandleIdentity {
  const { db, auth, accounts, origins, publicUrl, now } = options;
  const oidc = options.oidcAuth && new OidcSignIn(options.oidcAuth, publicUrl, options.log);

  const showSignIn: Route = async request => {
    if (await readSession(auth, request)) return goTo("/");
    const { searchParams } = new URL(request.url);
    return pageResponse(
      signInPage({
        external: accounts.external,
        error: searchParams.get("error"),
        invitation: invitationIn(searchParams),
      }),
    );
  };

  const showWelcome: Route = async request => {
    const session = await readSession(auth, request);
    const invitation = invitationIn(new URL(request.url).searchParams);
    if (invitation !== null && !accounts.external) {
      const open = await findInvitation(db, invitation, now());
      // A person signed in with another address may still be the one who was invited.
      if (open?.email !== session?.account.email || !session)
        return pageResponse(invitationPage(invitation, open));
    }
    if (!session) return goTo(invitation ? `/sign-in?invitation=${invitation}` : "/sign-in");
    if (accounts.external && invitation === null) return goTo("/");
    return pageResponse(
      welcomePage({
        email: session.account.email,
        hasPassword: await accounts.hasPassword(session.account.id),
        invitation,
      }),
    );
  };

  const showSession: Route = async request => {
    const session = await readSession(auth, request);
    return privately(
      Response.json(session && { user: session.account, session: { id: session.sessionId } }),
      session?.setCookies,
    );
  };

  const useLink: Route = async request => {
    const token = new URL(request.url).searchParams.get("token") ?? "";
    // The target is fixed: one taken from the link would be an open redirect.
    const ways = new URLSearchParams({ token, callbackURL: "/welcome", errorCallbackURL: "/sign-in" });
    const answer = await auth.handler(
      new Request(`${publicUrl}${AUTH_PATH}/magic-link/verify?${ways}`, { headers: userAgentOf(request) }),
    );
    return privately(relativeRedirect(answer, publicUrl), answer.headers.getSetCookie());
  };

  const signOut: Route = async request => {
    requireOwnOrigin(request, origins, "refuse");
    requireJson(request);
    const answer = await auth.handler(
      new Request(`${publicUrl}${AUTH_PATH}/sign-out`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          cookie: request.headers.get("cookie") ?? "",
          origin: new URL(publicUrl).origin,
        },
        body: "{}",
      }),
    );
    if (!answer.ok) throw fail("internal", "The session could not be ended");
    return privately(Response.json({ success: true }), answer.headers.getSetCookie());
  };

  const always: Record<string, Route> = {
    "GET /sign-in": showSignIn,
    "GET /welcome": showWelcome,
    [`GET ${AUTH_PATH}/get-session`]: showSession,
    [`POST ${AUTH_PATH}/sign-out`]: signOut,
    ...pageAssets,
  };
  const routes: Record<string, Route> = oidc
    ? {
        ...always,
        "GET /sign-in/oidc": request => oidc.start(request, invitationIn(new URL(request.url).searchParams)),
        [`GET ${AUTH_PATH}/callback/${OIDC_PROVIDER}`]: request => oidc.finish(request),
      }
    : {
        ...always,
        [`POST ${AUTH_PATH}/sign-in/email`]: passwordSignIn(options),
        [`POST ${AUTH_PATH}/invitations/accept`]: acceptByPassword(options),
        [`GET ${AUTH_PATH}/magic-link/verify`]: useLink,
      };

  return async (request, peer) => {
    const { pathname } = new URL(request.url);
    const isOurs = pathname.startsWith(`${AUTH_PATH}/`) || /^\/(sign-in|welcome)(\/|$)/.test(pathname);
    if (!isOurs) return null;
    const name = `${request.method} ${pathname}`;
    const route = Object.hasOwn(routes, name) ? routes[name] : undefined;
    if (!route) throw fail("not_found", "Not found");
    return await route(request, peer);
  };
}

function invitationIn(params: URLSearchParams): string | null {
  const code = params.get("invitation") ?? "";
  return isInvitationCode(code) ? code : null;
}
