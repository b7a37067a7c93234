import { describeFault, type Log } from "@tollgate/core/log";
import { isLoopbackName } from "@tollgate/core/wire/loopback-name";
import { z } from "zod";
import { AUTH_PATH } from "./better-auth.ts";
import { OIDC_PROVIDER } from "./oidc-auth.ts";
import { goTo, privately, relativeRedirect } from "./private-answer.ts";
import { userAgentOf } from "./user-agent-of.ts";

/** The library configured with the identity provider; rejects if the provider does not answer. */
export type StartOidcAuth = () => Promise<{ readonly handler: (request: Request) => Promise<Response> }>;

const DISCOVERY_TIMEOUT_MS = 10_000;
const started = z.object({ url: z.url() });

/**
 * Sign-in at the identity provider. Discovery runs at the first sign-in, not at startup: a provider that is down
 * blocks new sign-ins, but neither sessions nor keys.
 */
export class OidcSignIn {
  #auth: ReturnType<StartOidcAuth> | null = null;

  constructor(
    readonly startAuth: StartOidcAuth,
    readonly publicUrl: string,
    readonly log: Log,
  ) {}

  async start(request: Request, invitation: string | null): Promise<Response> {
    const query = invitation === null ? "" : `?invitation=${invitation}`;
    // The callback returns to the public name, so the state cookie must be set there.
    const here = new URL(request.url);
    const home = new URL(this.publicUrl);
    if (isLoopbackName(here.hostname) && isLoopbackName(home.hostname) && here.hostname !== home.hostname) {
      return goTo(`${this.publicUrl}/sign-in/oidc${query}`);
    }
    const auth = await this.#reach();
    if (!auth) return goTo("/sign-in?error=provider_unavailable");
    const headers = userAgentOf(request);
    headers.set("content-type", "application/json");
    headers.set("origin", home.origin);
    const answer = await auth.handler(
      new Request(`${this.publicUrl}${AUTH_PATH}/sign-in/social`, {
        method: "POST",
        headers,
        body: JSON.stringify({
          provider: OIDC_PROVIDER,
          callbackURL: invitation === null ? "/" : `/welcome${query}`,
          errorCallbackURL: "/sign-in",
          disableRedirect: true,
        }),
      }),
    );
    const parsed = started.safeParse(await answer.json().catch(() => null));
    if (!parsed.success) return goTo("/sign-in?error=provider_unavailable");
    return privately(goTo(parsed.data.url), answer.headers.getSetCookie());
  }

  async finish(request: Request): Promise<Response> {
    const auth = await this.#reach();
    if (!auth) return goTo("/sign-in?error=provider_unavailable");
    const { search } = new URL(request.url);
    const headers = userAgentOf(request);
    headers.set("cookie", request.headers.get("cookie") ?? "");
    const answer = await auth.handler(
      new Request(`${this.publicUrl}${AUTH_PATH}/callback/${OIDC_PROVIDER}${search}`, { headers }),
    );
    return privately(relativeRedirect(answer, this.publicUrl), answer.headers.getSetCookie());
  }

  async #reach() {
    this.#auth ??= this.startAuth();
    const attempt = this.#auth;
    try {
      return await Promise.race([attempt, timeout()]);
    } catch (fault) {
      this.log("warn", "the identity provider cannot be reached", describeFault(fault));
      if (this.#auth === attempt) this.#auth = null;
      return null;
    }
  }
}

function timeout(): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  setTimeout(() => reject(new Error("no answer")), DISCOVERY_TIMEOUT_MS).unref();
  return promise;
}
