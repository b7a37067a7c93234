import type { AgentModelProfile } from "./profile-queries.ts";

const MIN_ROWS = 1000;
const TTL_MS = 10_000;
const MAX_CACHED = 8;

type Fleet = readonly AgentModelProfile[];

/**
 * Cache of large fleet sums. Summing one takes a second, and a dashboard, a scan and a suggestion all request the same
 * one within seconds. A fleet of fewer than a thousand agents and models is always read again.
 */
export class RecentFleets {
  readonly #cache = new Map<string, { readonly fleet: Fleet; readonly at: number }>();

  get(name: string): AgentModelProfile[] | null {
    const cached = this.#cache.get(name);
    return cached !== undefined && performance.now() - cached.at < TTL_MS ? [...cached.fleet] : null;
  }

  keep(name: string, fleet: AgentModelProfile[]): AgentModelProfile[] {
    if (fleet.length < MIN_ROWS) return fleet;
    this.#cache.delete(name);
    this.#cache.set(name, { fleet, at: performance.now() });
    const [oldest] = this.#cache.keys();
    if (oldest !== undefined && this.#cache.size > MAX_CACHED) this.#cache.delete(oldest);
    return fleet;
  }
}
