/**
 * How long the provider may be silent. One timer looks after every call: a timer a call would cost more than the
 * rest of its bookkeeping.
 */
export class Deadlines {
  readonly #watches = new Set<Watch>();
  readonly #timer: Timer;

  constructor(private readonly timeoutMs: number) {
    const everyMs = Math.min(250, Math.max(5, Math.floor(timeoutMs / 10)));
    this.#timer = setInterval(() => this.#sweep(), everyMs);
    this.#timer.unref();
  }

  watch(onSilence: () => void): Watch {
    const watch: Watch = {
      expiresAt: Number.POSITIVE_INFINITY,
      onSilence,
      listen: () => {
        watch.expiresAt = performance.now() + this.timeoutMs;
      },
      pause: () => {
        watch.expiresAt = Number.POSITIVE_INFINITY;
      },
      stop: () => {
        this.#watches.delete(watch);
      },
    };
    this.#watches.add(watch);
    return watch;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #sweep(): void {
    const now = performance.now();
    for (const watch of this.#watches) {
      if (watch.expiresAt > now) continue;
      this.#watches.delete(watch);
      watch.onSilence();
    }
  }
}

export interface Watch {
  expiresAt: number;
  readonly onSilence: () => void;
  /** We wait for the provider from now on. */
  listen(): void;
  /** We do not: a slow client is not a silent provider. */
  pause(): void;
  stop(): void;
}
