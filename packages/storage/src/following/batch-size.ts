/**
 * How long a batch should take, because other writers of a SQLite file wait for it. In CPU time: on a busy machine, elapsed
 * time would shrink batches, and small batches take more CPU time per event.
 */
const TARGET_CPU_MS = 700;
/** The time of a small batch says little about that of a much larger one. */
const MAX_GROWTH_FACTOR = 4;

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
   * After each batch. One that was not full ended the backlog, and says nothing about larger ones. `cpuMs` is null if
   * nobody waits for it.
   */
  adapt(events: number, cpuMs: number | null): void {
    const factor = cpuMs === null ? MAX_GROWTH_FACTOR : Math.min(MAX_GROWTH_FACTOR, TARGET_CPU_MS / cpuMs);
    if (factor > 1 && events < this.#current) return;
    this.#current = Math.floor(Math.min(this.largest, Math.max(this.smallest, this.#current * factor)));
  }
}
