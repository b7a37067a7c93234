import { betterAuth } from "better-auth";
import { genericOAuth } from "better-auth/plugins/generic-oauth";
import { type BetterAuthSettings, betterAuthOptions } from "./better-auth.ts";
import { discoverIssuer } from "./discover-issuer.ts";
import { exchangeCode } from "./exchange-code.ts";
import { yieldAddress } from "./yield-address.ts";

export const OIDC_PROVIDER = "oidc";

export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The library configured with the identity provider. Discovery runs immediately; without an answer the promise rejects. */
export async function createOidcAuth(settings: BetterAuthSettings, oidc: OidcSettings) {
  const found = await discoverIssuer(oidc.issuer);
  const auth = betterAuth({
    ...betterAuthOptions(settings),
    plugins: [
      genericOAuth({
        config: [
          {
            providerId: OIDC_PROVIDER,
            discoveryUrl: found.url,
            clientId: oidc.clientId,
            clientSecret: oidc.clientSecret,
            scopes: ["openid", "email", "profile"],
            pkce: true,
            // The identity must come from a signed token; an incomplete discovery document must not weaken that.
            requireIdTokenVerification: true,
            getToken: code => exchangeCode(found, oidc, code),
            accountSubject: ({ tokens, profile }) => sameSubject(tokens.idToken, profile.sub),
            mapProfileToUser: async ({ email, email_verified, name, sub }) => {
              // A missing claim means unverified; otherwise anybody who can set their own address could claim
              // another's invitation.
              const emailVerified = isTrue(email_verified);
              if (emailVerified && email) await yieldAddress(settings.db, email, `${sub}`);
              return { emailVerified, name: name ?? "" };
            },
          },
        ],
      }),
    ],
  });
  await auth.$context;
  return auth;
}

/** The profile may come from a second request; it only counts for the subject of the signed token. */
function sameSubject(idToken: string | undefined, subject: unknown): string {
  const [, payload = ""] = (idToken ?? "").split(".");
  const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
  const signed = typeof claims === "object" && claims !== null && "sub" in claims ? claims.sub : undefined;
  if (typeof signed !== "string" || signed !== subject)
    throw new Error("the profile belongs to another subject");
  return signed;
}

/** Some providers send the claim as text. */
function isTrue(claim: unknown): boolean {
  return claim === true || claim === "true";
}
