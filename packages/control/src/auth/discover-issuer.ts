import { z } from "zod";

const TIMEOUT_MS = 10_000;
const described = z.object({ issuer: z.string(), token_endpoint: z.url() });

export interface DiscoveredIssuer {
  /** Of the description itself. */
  readonly url: string;
  readonly tokenEndpoint: string;
}

/** What an issuer says of itself. It must name itself as it was configured, or tokens of another could be taken for its. */
export async function discoverIssuer(issuer: string): Promise<DiscoveredIssuer> {
  const name = issuer.replace(/\/+$/, "");
  const url = `${name}/.well-known/openid-configuration`;
  const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: "error" });
  if (!answer.ok) throw new Error(`the discovery document is answered with ${answer.status}`);
  const found = described.parse(await answer.json());
  if (found.issuer.replace(/\/+$/, "") !== name)
    throw new Error("the discovery document is another issuer's");
  return { url, tokenEndpoint: found.token_endpoint };
}
