import { z } from "zod";

const TIMEOUT_MS = 10_000;
const described = z.object({ issuer: z.string(), token_endpoint: z.url() });

export interface DiscoveredIssuer {
  /** URL of the discovery document itself. */
  readonly url: string;
  readonly tokenEndpoint: string;
}

/**
 * The issuer's discovery document. It must name the configured issuer, or another issuer's tokens could be accepted.
 */
export async function discoverIssuer(issuer: string): Promise<DiscoveredIssuer> {
  const name = issuer.replace(/\/+$/, "");
  const url = `${name}/.well-known/openid-configuration`;
  const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: "error" });
  if (!answer.ok) throw new Error(`the discovery document request was answered with ${answer.status}`);
  const found = described.parse(await answer.json());
  if (found.issuer.replace(/\/+$/, "") !== name)
    throw new Error("the discovery document names another issuer");
  return { url, tokenEndpoint: found.token_endpoint };
}
