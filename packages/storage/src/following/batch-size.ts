/**
 * Other writers of a SQLite file wait for a batch: shorter ones grow, longer ones shrink. In CPU time, because on a
 * busy machine small batches, which take more of it, would make everything worse.
 */
const SHORT_BATCH_CPU_MS = 250;
const LONG_BATCH_CPU_MS = 600;

/**
 * How many events the next batch may have. Sums are written once per batch, so behind a busy ledger larger batches take
 * less time per event.
 */
export class BatchSize {
  #current: number;

  constructor(
    private readonly smallest: number,
    private readonly largest: number,
  ) {
    this.#current = smallest;
  }

  get current(): number {
    return this.#current;
  }

  /** After each batch. One that was not full ended the backlog, and says nothing about larger ones. */
  adapt(events: number, cpuMs: number): void {
    if (cpuMs > LONG_BATCH_CPU_MS) this.#current = Math.max(this.smallest, Math.floor(this.#current / 2));
    else if (events >= this.#current && cpuMs < SHORT_BATCH_CPU_MS) {
      this.#current = Math.min(this.largest, 2 * this.#current);
    }
  }
}
