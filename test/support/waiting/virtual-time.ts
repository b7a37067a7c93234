/** Time that passes only from one timer to the next, so that hours of it take milliseconds and every run is the same. */
export class VirtualTime {
  #nowMs = 0;
  #timers: { readonly atMs: number; readonly run: () => void }[] = [];

  readonly now = () => this.#nowMs;

  readonly sleep = (ms: number): Promise<void> =>
    new Promise(resolve => {
      this.at(this.#nowMs + Math.max(0, ms), resolve);
    });

  at(atMs: number, run: () => void): void {
    const timer = { atMs: Math.max(this.#nowMs, atMs), run };
    const later = this.#timers.findIndex(other => other.atMs > timer.atMs);
    this.#timers.splice(later === -1 ? this.#timers.length : later, 0, timer);
  }

  async advanceTo(atMs: number): Promise<void> {
    await promisesAreSettled();
    for (let next = this.#timers[0]; next !== undefined && next.atMs <= atMs; next = this.#timers[0]) {
      this.#timers.shift();
      this.#nowMs = next.atMs;
      next.run();
      await promisesAreSettled();
    }
    this.#nowMs = atMs;
  }
}

/** More steps than any chain of promises has that is followed between two timers. A turn of the event loop takes far longer. */
const STEPS = 64;

async function promisesAreSettled(): Promise<void> {
  for (let step = 0; step < STEPS; step++) await null;
}
