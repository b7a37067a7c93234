import { type IpAddress, type IpRange, isInRange, parseIpAddress, parseIpRange } from "./ip-address.ts";
import { isLoopback, isLoopbackName } from "./loopback-name.ts";

/**
 * The client's address, for both planes. Anyone can send a forwarding header, so it counts only from a proxy configured
 * by the operator.
 */
export class TrustedProxies {
  /** Default: every peer is the client. */
  static readonly none = new TrustedProxies([]);

  private constructor(private readonly ranges: readonly IpRange[]) {}

  /** Addresses and ranges, separated by commas. Throws if they are invalid. */
  static parse(text: string): TrustedProxies {
    const entries = text
      .split(",")
      .map(entry => entry.trim())
      .filter(entry => entry !== "");
    return new TrustedProxies(
      entries.map(entry => {
        const range = parseIpRange(entry);
        if (range === null) throw new Error("must list addresses or ranges such as 10.0.0.0/8");
        return range;
      }),
    );
  }

  /**
   * The client's address. `X-Forwarded-For` is read from the right, where the nearest proxy writes: the first
   * address that is not a trusted proxy is the client; everything to its left is only the client's claim.
   */
  clientOf(headers: Headers, peer: string | null): IpAddress | null {
    let client = parsePeer(peer);
    if (client === null || !this.#has(client)) return client;
    const hops = headers.get("x-forwarded-for")?.split(",") ?? [];
    for (const hop of hops.toReversed()) {
      const address = parseIpAddress(withoutPort(hop.trim()));
      if (address === null) return client;
      client = address;
      if (!this.#has(address)) return client;
    }
    return client;
  }

  /**
   * True for a program on this machine that connects directly. A local proxy is recognized by the headers that proxies
   * add, or by configuration. A page whose host name resolves to this machine (DNS rebinding) is recognized by `Host`.
   */
  isLocal(headers: Headers, peer: string | null): boolean {
    const address = parsePeer(peer);
    if (address === null || !isLoopback(address) || this.#has(address)) return false;
    return !forwardingHeaders.some(name => headers.has(name)) && isLoopbackHost(headers.get("host"));
  }

  #has(address: IpAddress): boolean {
    return this.ranges.some(range => isInRange(address, range));
  }
}

const forwardingHeaders = ["x-forwarded-for", "forwarded", "x-real-ip", "x-forwarded-host", "via"] as const;

function parsePeer(peer: string | null): IpAddress | null {
  return peer === null ? null : parseIpAddress(peer);
}

/** Some proxies add the port: `192.0.2.1:5123`, `[2001:db8::1]:5123`. */
function withoutPort(hop: string): string {
  const bracketed = /^\[([^\]]*)\](:\d+)?$/.exec(hop)?.[1];
  return bracketed ?? hop.replace(/^([\d.]+):\d+$/, "$1");
}

function isLoopbackHost(host: string | null): boolean {
  if (host === null) return false;
  return isLoopbackName(URL.parse(`http://${host}`)?.hostname ?? "");
}
