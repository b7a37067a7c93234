/**
 * An exact sliding window: the times of the admitted calls of the last minute, oldest first, in a ring.
 * A fixed window would admit twice the limit around its boundary.
 */
export class SlidingWindow {
  #times = new Float64Array(16);
  #first = 0;
  #count = 0;

  constructor(private readonly windowMs: number) {}

  /** Admitted calls that still count at `now`. */
  used(now: number): number {
    this.#followClock(now);
    while (this.#count > 0 && this.#oldest() <= now - this.windowMs) {
      this.#first = (this.#first + 1) % this.#times.length;
      this.#count--;
    }
    return this.#count;
  }

  add(now: number): void {
    if (this.#count === this.#times.length) this.#grow();
    this.#times[(this.#first + this.#count) % this.#times.length] = now;
    this.#count++;
  }

  /** When the window next has room below `limit`. With room now, that is `now`. */
  roomAt(limit: number, now: number): number {
    const used = this.used(now);
    if (used < limit) return now;
    const leaving = this.#times[(this.#first + used - limit) % this.#times.length] ?? now;
    return leaving + this.windowMs;
  }

  /** When the oldest call leaves; `now` if there is none. */
  nextLeaves(now: number): number {
    return this.used(now) === 0 ? now : this.#oldest() + this.windowMs;
  }

  /** A clock that was set back moves the calls with it: else they would count until it catches up again. */
  #followClock(now: number): void {
    const newest = this.#times[(this.#first + this.#count - 1) % this.#times.length] ?? now;
    if (this.#count === 0 || newest <= now) return;
    for (let i = 0; i < this.#times.length; i++) this.#times[i] = (this.#times[i] ?? 0) - (newest - now);
  }

  #oldest(): number {
    return this.#times[this.#first] ?? 0;
  }

  #grow(): void {
    const larger = new Float64Array(this.#times.length * 2);
    for (let i = 0; i < this.#count; i++) {
      larger[i] = this.#times[(this.#first + i) % this.#times.length] ?? 0;
    }
    this.#times = larger;
    this.#first = 0;
  }
}
