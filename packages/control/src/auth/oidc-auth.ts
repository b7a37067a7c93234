import { betterAuth } from "better-auth";
import { genericOAuth } from "better-auth/plugins/generic-oauth";
import { type BetterAuthSettings, betterAuthOptions } from "./better-auth.ts";
import { discoverIssuer } from "./discover-issuer.ts";
import { exchangeCode } from "./exchange-code.ts";

export const OIDC_PROVIDER = "oidc";

export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The library with the identity provider. Looks it up at once: without an answer the promise is rejected. */
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
            // Who somebody is comes from a signed token; an incomplete discovery must not loosen that.
            requireIdTokenVerification: true,
            getToken: code => exchangeCode(found, oidc, code),
            accountSubject: ({ tokens, profile }) => sameSubject(tokens.idToken, profile.sub),
            mapProfileToUser: profile => ({
              // Absent is not verified: else whoever may name their own address takes over somebody's invitation.
              emailVerified: isTrue(profile.email_verified),
              name: profile.name ?? "",
            }),
          },
        ],
      }),
    ],
  });
  await auth.$context;
  return auth;
}

/** The profile may come from a second question: it counts only for the subject that the signed token names. */
function sameSubject(idToken: string | undefined, subject: unknown): string {
  const [, payload = ""] = (idToken ?? "").split(".");
  const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
  const signed = typeof claims === "object" && claims !== null && "sub" in claims ? claims.sub : undefined;
  if (typeof signed !== "string" || signed !== subject) throw new Error("the profile is another subject's");
  return signed;
}

/** Some providers write the claim as text. */
function isTrue(claim: unknown): boolean {
  return claim === true || claim === "true";
}
