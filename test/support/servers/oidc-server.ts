import { afterAll } from "bun:test";
import { createServer } from "node:http";
import Provider, { type ClientMetadata } from "oidc-provider";
import { freePort } from "./free-port.ts";

export interface Person {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean | string;
  readonly name?: string;
}

export interface OidcServer {
  readonly issuer: string;
  /** The person who signs in. */
  person: Person;
  /** Refuses the next authorization instead of signing in. */
  refuses: boolean;
  register(redirectUri: string, method?: "client_secret_basic" | "client_secret_post"): void;
  stop(): Promise<void>;
  /** At the same address. */
  restart(): Promise<void>;
}

export const CLIENT = { clientId: "tollgate", clientSecret: "a client secret of some length" };

/** A certified OpenID provider on loopback. Its only page, the sign-in form, submits itself. */
export async function startOidcServer(): Promise<OidcServer> {
  const server = createServer();
  // It listens there again after a restart: no other program may be given the port in between.
  await new Promise<void>(resolve => server.listen(freePort(), "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the provider has no address");
  const issuer = `http://127.0.0.1:${address.port}`;
  const people = new Map<string, Person>();
  const stop = async () => {
    server.closeAllConnections();
    await new Promise<void>(resolve => server.close(() => resolve()));
  };
  afterAll(async () => {
    if (server.listening) await stop();
  });

  const self: OidcServer = {
    issuer,
    person: { sub: "nobody" },
    refuses: false,
    register(redirectUri, method = "client_secret_basic") {
      const client: ClientMetadata = {
        client_id: CLIENT.clientId,
        client_secret: CLIENT.clientSecret,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: method,
      };
      const provider = new Provider(issuer, {
        clients: [client],
        pkce: { required: () => true },
        claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
        cookies: { keys: ["for the tests of one file"] },
        features: { devInteractions: { enabled: false } },
        interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
        findAccount: (_context, id) => ({
          accountId: id,
          claims: () => ({ ...people.get(id), sub: id }),
        }),
        // The person consents.
        loadExistingGrant: async context => {
          const { client: asking, session } = context.oidc;
          if (!asking || !session?.accountId) return undefined;
          const grant = new provider.Grant({ clientId: asking.clientId, accountId: session.accountId });
          grant.addOIDCScope("openid email profile");
          await grant.save();
          return grant;
        },
      });
      const answer = provider.callback();
      server.removeAllListeners("request");
      server.on("request", (request, response) => {
        if (!request.url?.startsWith("/interaction/")) {
          void answer(request, response);
          return;
        }
        people.set(self.person.sub, self.person);
        const result = self.refuses
          ? { error: "access_denied", error_description: "not today" }
          : { login: { accountId: self.person.sub } };
        void provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
      });
    },
    stop,
    restart: () => new Promise<void>(resolve => server.listen(address.port, "127.0.0.1", resolve)),
  };
  return self;
}
