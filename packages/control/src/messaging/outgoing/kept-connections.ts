import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";

/** Shorter than servers keep idle connections (5 s is common), so that we close first. */
const IDLE_MS = 3000;
const FREE_PER_HOST = 4;
const MAX_AGENTS = 500;

/**
 * Connections that the next request may reuse, keyed by the addresses a name had when it was checked: a connection to
 * other addresses is never reused, and a name that now resolves to a private address is refused first.
 */
export class KeptConnections {
  readonly #agents = new Map<string, HttpAgent | HttpsAgent>();

  for(url: URL, addresses: readonly { readonly address: string }[]): HttpAgent | HttpsAgent {
    // Sorted, because name servers rotate the order of the same addresses.
    const name = [url.protocol, ...addresses.map(({ address }) => address).toSorted()].join(" ");
    const known = this.#agents.get(name);
    if (known) return known;
    const [oldest] = this.#agents.keys();
    // Its connections close by themselves once idle.
    if (oldest !== undefined && this.#agents.size >= MAX_AGENTS) this.#agents.delete(oldest);
    const options = { keepAlive: true, maxFreeSockets: FREE_PER_HOST, timeout: IDLE_MS };
    const agent = url.protocol === "https:" ? new HttpsAgent(options) : new HttpAgent(options);
    this.#agents.set(name, agent);
    return agent;
  }
}
