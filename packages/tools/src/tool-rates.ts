import { SlidingWindow } from "@tollgate/core/sliding-window";

export const CALLS_PER_MINUTE = 60;
const MINUTE_MS = 60_000;
const MANY_WINDOWS = 10_000;

/** Sixty calls a minute for each key and tool. A refused call does not count. */
export class ToolRates {
  readonly #windows = new Map<string, SlidingWindow>();

  constructor(private readonly now: () => number) {}

  /** Null: go ahead. Otherwise the seconds after which there is room again. */
  admit(key: string, tool: string): number | null {
    const now = this.now();
    const name = `${key} ${tool}`;
    let window = this.#windows.get(name);
    if (window === undefined) {
      if (this.#windows.size >= MANY_WINDOWS) this.#forgetIdle(now);
      window = new SlidingWindow(MINUTE_MS);
      this.#windows.set(name, window);
    }
    if (window.used(now) >= CALLS_PER_MINUTE) {
      return Math.max(1, Math.ceil((window.roomAt(CALLS_PER_MINUTE, now) - now) / 1000));
    }
    window.add(now);
    return null;
  }

  #forgetIdle(now: number): void {
    for (const [name, window] of this.#windows) if (window.used(now) === 0) this.#windows.delete(name);
  }
}
