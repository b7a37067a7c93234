import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";

/** Shorter than servers keep a connection that is idle (5 s is common): the one who closes first is we. */
const IDLE_MS = 3000;
const FREE_PER_HOST = 4;
const MOST = 500;

/**
 * Connections that the next request may use. They are found by what a name meant when it was checked: one that was
 * made to other addresses is never used, and a name that has come to mean something private is refused before.
 */
export class KeptConnections {
  readonly #agents = new Map<string, HttpAgent | HttpsAgent>();

  for(url: URL, addresses: readonly { readonly address: string }[]): HttpAgent | HttpsAgent {
    // Sorted: name servers answer with the same addresses in ever another order.
    const name = [url.protocol, ...addresses.map(({ address }) => address).toSorted()].join(" ");
    const known = this.#agents.get(name);
    if (known) return known;
    const [oldest] = this.#agents.keys();
    // Its connections close by themselves once they are idle.
    if (oldest !== undefined && this.#agents.size >= MOST) this.#agents.delete(oldest);
    const options = { keepAlive: true, maxFreeSockets: FREE_PER_HOST, timeout: IDLE_MS };
    const agent = url.protocol === "https:" ? new HttpsAgent(options) : new HttpAgent(options);
    this.#agents.set(name, agent);
    return agent;
  }
}
