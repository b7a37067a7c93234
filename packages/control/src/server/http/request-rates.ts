import { rateLimitReached } from "@tollgate/core/limits/rate-limit-answer";
import { RateWindows } from "@tollgate/core/limits/rate-windows";
import { formatIpAddress, networkOf } from "@tollgate/core/wire/ip-address";
import type { TrustedProxies } from "@tollgate/core/wire/trusted-proxies";
import type { Actor } from "../../kernel/context.ts";

/** Requests per minute, by key, by signed-in person, or by address for anybody else. */
export class RequestRates {
  /** null: no limit. */
  readonly #windows: RateWindows | null;

  constructor(
    private readonly perMinute: number,
    private readonly trustedProxies: TrustedProxies,
    private readonly now: () => number,
  ) {
    this.#windows = perMinute === 0 ? null : new RateWindows(perMinute);
  }

  /** Throws `rate_limited`. */
  admitActor(actor: Actor): void {
    this.#admit(actor.kind === "key" ? `key ${actor.keyId}` : `user ${actor.userId}`);
  }

  /** For a request without a valid credential. Throws `rate_limited`. */
  admitStranger(request: Request, peer: string | null): void {
    const client = this.trustedProxies.clientOf(request.headers, peer);
    this.#admit(`address ${client === null ? "unknown" : networkOf(client)}`);
  }

  addressOf(request: Request, peer: string | null): string | null {
    const client = this.trustedProxies.clientOf(request.headers, peer);
    return client === null ? null : formatIpAddress(client);
  }

  #admit(name: string): void {
    const now = this.now();
    const full = this.#windows?.admit(name, now) ?? null;
    if (full === null) return;
    throw rateLimitReached(
      "rate_limited",
      `rate limit of ${this.perMinute} requests a minute exceeded`,
      full,
      now,
    );
  }
}
