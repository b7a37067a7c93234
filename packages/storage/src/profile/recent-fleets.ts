import type { AgentModelProfile } from "./profile-queries.ts";

const LARGE = 1000;
const KEPT_MS = 10_000;
const MOST = 8;

type Fleet = readonly AgentModelProfile[];

/**
 * Cache of large fleet sums. Summing one takes a second, and a dashboard, a scan and a suggestion all request the
 * same: within a few seconds they share the result. A fleet of fewer than a thousand agents and models is always read
 * again.
 */
export class RecentFleets {
  readonly #kept = new Map<string, { readonly fleet: Fleet; readonly at: number }>();

  get(name: string): AgentModelProfile[] | null {
    const kept = this.#kept.get(name);
    return kept !== undefined && performance.now() - kept.at < KEPT_MS ? [...kept.fleet] : null;
  }

  keep(name: string, fleet: AgentModelProfile[]): AgentModelProfile[] {
    if (fleet.length < LARGE) return fleet;
    this.#kept.delete(name);
    this.#kept.set(name, { fleet, at: performance.now() });
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size > MOST) this.#kept.delete(oldest);
    return fleet;
  }
}
