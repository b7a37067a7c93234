/** The calls under way, so that a shutdown can wait for them and, when patience ends, break them off. */
export class InFlight {
  readonly #calls = new Set<{ interrupt: () => void }>();
  #onEmpty: (() => void) | null = null;
  draining = false;

  get size(): number {
    return this.#calls.size;
  }

  enter(interrupt: () => void): () => void {
    const entry = { interrupt };
    this.#calls.add(entry);
    return () => {
      this.#calls.delete(entry);
      if (this.#calls.size === 0) this.#onEmpty?.();
    };
  }

  /** Resolves when no call is left; after `patienceMs` those that remain are interrupted, and then settle. */
  async drain(patienceMs: number): Promise<void> {
    this.draining = true;
    if (this.#calls.size === 0) return;
    const timer = setTimeout(() => {
      for (const call of this.#calls) call.interrupt();
    }, patienceMs);
    await new Promise<void>(resolve => {
      this.#onEmpty = resolve;
    });
    clearTimeout(timer);
  }
}
