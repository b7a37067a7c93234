import { MINUTE_MS } from "../time/durations.ts";
import type { RateLimitState } from "./rate-limit-answer.ts";
import { SlidingWindow } from "./sliding-window.ts";

const MANY_WINDOWS = 10_000;

/** A limit for each name within a minute, or another period. Refusals do not count. */
export class RateWindows {
  readonly #windows = new Map<string, SlidingWindow>();

  constructor(
    private readonly limit: number,
    private readonly periodMs = MINUTE_MS,
  ) {}

  /** null: admitted and counted. Otherwise the state of the limit. */
  admit(name: string, nowMs: number): RateLimitState | null {
    const window = this.#window(name, nowMs);
    const current = window.used(nowMs);
    if (current >= this.limit) {
      return { limit: this.limit, current, resetAtMs: window.roomAt(this.limit, nowMs) };
    }
    window.add(nowMs);
    return null;
  }

  #window(name: string, nowMs: number): SlidingWindow {
    const known = this.#windows.get(name);
    if (known !== undefined) return known;
    if (this.#windows.size >= MANY_WINDOWS) this.#forgetIdle(nowMs);
    const made = new SlidingWindow(this.periodMs);
    this.#windows.set(name, made);
    return made;
  }

  #forgetIdle(nowMs: number): void {
    for (const [name, window] of this.#windows) if (window.used(nowMs) === 0) this.#windows.delete(name);
  }
}
