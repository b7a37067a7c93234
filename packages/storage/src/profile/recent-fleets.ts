import type { AgentModelProfile } from "./profile-queries.ts";

const MIN_ROWS = 1000;
const MIN_FRESH_MS = 10_000;
const MAX_FRESH_MS = 40_000;
/** Sums that take long are renewed less often, so that a page that asks all the time costs at most a fortieth of a core. */
const FRESH_PER_READ = 40;
/** Nothing older is returned: after a break, new sums are awaited. */
const MAX_AGE_MS = 60_000;
const MAX_CACHED = 8;

type Fleet = readonly AgentModelProfile[];

interface Cached {
  readonly fleet: Fleet;
  readonly atMs: number;
  readonly freshMs: number;
}

/**
 * Cache of large fleet sums. Summing one takes a second, and a dashboard, a scan and a suggestion all request the same
 * one at once. What is no longer fresh is still returned while it is summed again. A fleet of fewer than a
 * thousand agents and models is always read again.
 */
export class RecentFleets {
  readonly #cache = new Map<string, Cached>();
  readonly #reading = new Map<string, Promise<Fleet>>();

  /** `nowMs` is monotonic. */
  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  async get(name: string, read: () => Promise<Fleet>): Promise<AgentModelProfile[]> {
    const cached = this.#cache.get(name);
    const ageMs = cached === undefined ? Number.POSITIVE_INFINITY : this.nowMs() - cached.atMs;
    if (cached === undefined || ageMs >= MAX_AGE_MS) return [...(await this.#read(name, read))];
    // If that fails, the next request has to read it, and gets the error.
    if (ageMs >= cached.freshMs) this.#read(name, read).catch(() => this.#cache.delete(name));
    return [...cached.fleet];
  }

  /** Everybody who asks for it in the meantime gets the same. */
  #read(name: string, read: () => Promise<Fleet>): Promise<Fleet> {
    const reading = this.#reading.get(name) ?? this.#begin(name, read);
    this.#reading.set(name, reading);
    return reading;
  }

  async #begin(name: string, read: () => Promise<Fleet>): Promise<Fleet> {
    // What is written from now on may be missing in it.
    const atMs = this.nowMs();
    try {
      const fleet = await read();
      const readMs = this.nowMs() - atMs;
      const freshMs = Math.min(Math.max(FRESH_PER_READ * readMs, MIN_FRESH_MS), MAX_FRESH_MS);
      if (fleet.length >= MIN_ROWS) this.#keep(name, { fleet, atMs, freshMs });
      return fleet;
    } finally {
      this.#reading.delete(name);
    }
  }

  #keep(name: string, cached: Cached): void {
    this.#cache.delete(name);
    this.#cache.set(name, cached);
    const [oldest] = this.#cache.keys();
    if (oldest !== undefined && this.#cache.size > MAX_CACHED) this.#cache.delete(oldest);
  }
}
