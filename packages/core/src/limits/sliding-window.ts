/**
 * An exact sliding window: the number of calls admitted in each millisecond of the last minute, oldest first, in a ring
 * buffer. A fixed window would admit twice the limit around its boundary. One entry per millisecond bounds the memory
 * at any rate.
 */
export class SlidingWindow {
  #times = new Float64Array(16);
  #counts = new Uint32Array(16);
  #first = 0;
  #entries = 0;
  #used = 0;

  constructor(private readonly windowMs: number) {}

  /** Admitted calls that still count at `now`. */
  used(nowMs: number): number {
    this.#followClock(nowMs);
    while (this.#entries > 0 && this.#timeAt(0) <= nowMs - this.windowMs) {
      this.#used -= this.#countAt(0);
      this.#first = (this.#first + 1) % this.#times.length;
      this.#entries--;
    }
    return this.#used;
  }

  add(nowMs: number): void {
    this.#used++;
    const last = this.#entries - 1;
    if (last >= 0 && this.#timeAt(last) === nowMs) {
      this.#counts[this.#slot(last)] = this.#countAt(last) + 1;
      return;
    }
    if (this.#entries === this.#times.length) this.#grow();
    const slot = this.#slot(this.#entries);
    this.#times[slot] = nowMs;
    this.#counts[slot] = 1;
    this.#entries++;
  }

  /** When the window next has room below `limit`; `now` if it has room already. */
  roomAt(limit: number, nowMs: number): number {
    let left = this.used(nowMs);
    if (left < limit) return nowMs;
    for (let entry = 0; entry < this.#entries; entry++) {
      left -= this.#countAt(entry);
      if (left < limit) return this.#timeAt(entry) + this.windowMs;
    }
    return nowMs + this.windowMs;
  }

  /** When the oldest call leaves the window; `nowMs` if it is empty. */
  nextLeaves(nowMs: number): number {
    return this.used(nowMs) === 0 ? nowMs : this.#timeAt(0) + this.windowMs;
  }

  /** If the clock was set back, moves the calls with it: otherwise they would count until it catches up. */
  #followClock(nowMs: number): void {
    const newest = this.#entries === 0 ? nowMs : this.#timeAt(this.#entries - 1);
    if (newest <= nowMs) return;
    for (let slot = 0; slot < this.#times.length; slot++) {
      this.#times[slot] = (this.#times[slot] ?? 0) - (newest - nowMs);
    }
  }

  #slot(entry: number): number {
    return (this.#first + entry) % this.#times.length;
  }

  #timeAt(entry: number): number {
    return this.#times[this.#slot(entry)] ?? 0;
  }

  #countAt(entry: number): number {
    return this.#counts[this.#slot(entry)] ?? 0;
  }

  #grow(): void {
    const times = new Float64Array(this.#times.length * 2);
    const counts = new Uint32Array(this.#times.length * 2);
    for (let entry = 0; entry < this.#entries; entry++) {
      times[entry] = this.#timeAt(entry);
      counts[entry] = this.#countAt(entry);
    }
    this.#times = times;
    this.#counts = counts;
    this.#first = 0;
  }
}
