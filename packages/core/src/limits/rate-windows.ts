import type { RateLimitState } from "./rate-limit-answer.ts";
import { SlidingWindow } from "./sliding-window.ts";

const MINUTE_MS = 60_000;
const MANY_WINDOWS = 10_000;

/** As many a minute for each name, whoever or whatever it stands for. What is refused does not count. */
export class RateWindows {
  readonly #windows = new Map<string, SlidingWindow>();

  constructor(private readonly perMinute: number) {}

  /** null: go ahead, it is counted. Otherwise how things stand. */
  admit(name: string, now: number): RateLimitState | null {
    const window = this.#window(name, now);
    const current = window.used(now);
    if (current >= this.perMinute) {
      return { limit: this.perMinute, current, resetAt: window.roomAt(this.perMinute, now) };
    }
    window.add(now);
    return null;
  }

  #window(name: string, now: number): SlidingWindow {
    const known = this.#windows.get(name);
    if (known !== undefined) return known;
    if (this.#windows.size >= MANY_WINDOWS) this.#forgetIdle(now);
    const made = new SlidingWindow(MINUTE_MS);
    this.#windows.set(name, made);
    return made;
  }

  #forgetIdle(now: number): void {
    for (const [name, window] of this.#windows) if (window.used(now) === 0) this.#windows.delete(name);
  }
}
