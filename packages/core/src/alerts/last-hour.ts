import { MINUTE_MS } from "../time/durations.ts";

const MINUTES = 60;

/**
 * The calls of the last sixty minutes, counted per minute: the current one and the 59 before it. Memory is bounded at
 * any traffic. Time only moves forward: a call that arrives after its minute has left the window is not counted. With
 * `slowFromMs` it also knows exactly whether the 99th percentile of latencies reaches that threshold.
 */
export class LastHour {
  #calls = 0;
  #errors = 0;
  #slow = 0;
  #minute = 0;
  readonly #byMinute = {
    calls: new Uint32Array(MINUTES),
    errors: new Uint32Array(MINUTES),
    slow: new Uint32Array(MINUTES),
  };
  readonly #latencies: Map<number, number>[] = [];

  constructor(readonly slowFromMs: number | null = null) {}

  get calls(): number {
    return this.#calls;
  }

  get errors(): number {
    return this.#errors;
  }

  add(atMs: number, isError: boolean, latencyMs: number): void {
    const minute = Math.floor(atMs / MINUTE_MS);
    this.#moveTo(minute);
    if (minute <= this.#minute - MINUTES) return;
    const slot = minute % MINUTES;
    increase(this.#byMinute.calls, slot);
    this.#calls++;
    if (isError) {
      increase(this.#byMinute.errors, slot);
      this.#errors++;
    }
    if (this.slowFromMs === null) return;
    if (latencyMs >= this.slowFromMs) {
      increase(this.#byMinute.slow, slot);
      this.#slow++;
    }
    let counts = this.#latencies[slot];
    if (counts === undefined) {
      counts = new Map();
      this.#latencies[slot] = counts;
    }
    const latency = threeDigits(latencyMs);
    counts.set(latency, (counts.get(latency) ?? 0) + 1);
  }

  /** Drops everything older than the hour before `now`. */
  advance(nowMs: number): void {
    this.#moveTo(Math.floor(nowMs / MINUTE_MS));
  }

  /** Whether the 99th percentile (the nearest rank) is at `slowFromMs` or above. */
  isSlow(): boolean {
    return this.#calls > 0 && this.#calls - this.#slow < rankOf(this.#calls);
  }

  /** To three digits, and always on the correct side of `slowFromMs`; null without calls or without `slowFromMs`. */
  p99Ms(): number | null {
    if (this.slowFromMs === null || this.#calls === 0) return null;
    const counts = new Map<number, number>();
    for (const ofMinute of this.#latencies) {
      for (const [latency, count] of ofMinute ?? []) counts.set(latency, (counts.get(latency) ?? 0) + count);
    }
    let left = this.#calls - rankOf(this.#calls);
    const line = Math.ceil(this.slowFromMs);
    for (const [latency, count] of [...counts].sort(([a], [b]) => b - a)) {
      if (left < count) return this.isSlow() ? Math.max(latency, line) : Math.min(latency, line - 1);
      left -= count;
    }
    return null;
  }

  #moveTo(minute: number): void {
    if (minute <= this.#minute) return;
    const steps = Math.min(minute - this.#minute, MINUTES);
    for (let step = 1; step <= steps; step++) this.#forget((this.#minute + step) % MINUTES);
    this.#minute = minute;
  }

  #forget(slot: number): void {
    const { calls, errors, slow } = this.#byMinute;
    this.#calls -= calls[slot] ?? 0;
    this.#errors -= errors[slot] ?? 0;
    this.#slow -= slow[slot] ?? 0;
    calls[slot] = 0;
    errors[slot] = 0;
    slow[slot] = 0;
    this.#latencies[slot]?.clear();
  }
}

function rankOf(calls: number): number {
  return Math.ceil((calls * 99) / 100);
}

function increase(counts: Uint32Array, slot: number): void {
  counts[slot] = (counts[slot] ?? 0) + 1;
}

/** Rounds to three digits: at most 900 distinct values per power of ten, however latencies scatter. */
function threeDigits(latencyMs: number): number {
  if (latencyMs < 1000) return Math.max(0, Math.round(latencyMs));
  const unit = 10 ** (Math.floor(Math.log10(latencyMs)) - 2);
  return Math.round(latencyMs / unit) * unit;
}
