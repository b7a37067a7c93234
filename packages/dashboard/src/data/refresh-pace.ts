/** Between two refreshes, after the last has been answered; longer if answering takes long. */
const REFRESH_MS = 2000;
const REST_PER_WORK = 5;
const MAX_REST_MS = 30_000;
/** How often it is checked whether everything has been answered. */
export const CHECK_MS = 300;

/**
 * When to refetch what is shown. Never while requests are in flight: under steady traffic they would be replaced again and
 * again, and never be answered. Once they are answered, everything that has changed since is fetched.
 */
export class RefreshPace {
  /** When a request was last known to be in flight. */
  #busyAtMs: number;
  /** Not since the refresh: a page may have been opened long after it. */
  #waitingSinceMs: number | null = null;
  #tookMs = 0;

  constructor(nowMs: number) {
    this.#busyAtMs = nowMs;
  }

  /** How long to wait before looking again; 0: refresh now. */
  waitMs(isFetching: boolean, nowMs: number): number {
    if (isFetching) {
      this.#waitingSinceMs ??= nowMs;
      this.#tookMs = Math.max(this.#tookMs, nowMs - this.#waitingSinceMs);
      this.#busyAtMs = nowMs;
      return CHECK_MS;
    }
    this.#waitingSinceMs = null;
    const restMs = Math.min(MAX_REST_MS, Math.max(REFRESH_MS, this.#tookMs * REST_PER_WORK));
    return Math.max(0, this.#busyAtMs + restMs - nowMs);
  }

  refreshed(nowMs: number): void {
    this.#busyAtMs = nowMs;
    this.#waitingSinceMs = null;
    this.#tookMs = 0;
  }
}
