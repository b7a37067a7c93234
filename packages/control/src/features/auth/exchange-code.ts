import { validateAuthorizationCode } from "better-auth/oauth2";
import type { DiscoveredIssuer } from "./discover-issuer.ts";

interface Client {
  readonly clientId: string;
  readonly clientSecret: string;
}

interface Code {
  readonly code: string;
  readonly redirectURI: string;
  readonly codeVerifier?: string | undefined;
}

/**
 * A client is registered for one way of sending its secret, but the configuration does not say which: try the
 * standard's default first, then the other if the client is rejected. A rejected client has not used up the code.
 */
export async function exchangeCode(issuer: DiscoveredIssuer, client: Client, code: Code) {
  const by = (authentication: "basic" | "post") =>
    validateAuthorizationCode({
      ...code,
      options: { clientId: client.clientId, clientSecret: client.clientSecret },
      tokenEndpoint: issuer.tokenEndpoint,
      authentication,
    });
  try {
    return await by("basic");
  } catch (fault) {
    if (!isClientRefused(fault)) throw fault;
    return await by("post");
  }
}

function isClientRefused(fault: unknown): boolean {
  if (typeof fault !== "object" || fault === null) return false;
  return (
    ("error" in fault && fault.error === "invalid_client") || ("status" in fault && fault.status === 401)
  );
}
