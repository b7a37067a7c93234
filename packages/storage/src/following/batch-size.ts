/**
 * Other writers of a SQLite file wait for a batch, so batches grow while they take less than the first and shrink when
 * they take more than the second. Measured in CPU time: on a busy machine, elapsed time would shrink batches, and small
 * batches take more CPU time per event.
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

  /**
   * After each batch. One that was not full ended the backlog, and says nothing about larger ones. `cpuMs` is 0 if nobody
   * waits for it.
   */
  adapt(events: number, cpuMs: number): void {
    if (cpuMs > LONG_BATCH_CPU_MS) this.#current = Math.max(this.smallest, Math.floor(this.#current / 2));
    else if (events >= this.#current && cpuMs < SHORT_BATCH_CPU_MS) {
      this.#current = Math.min(this.largest, 2 * this.#current);
    }
  }
}
