import { type Indexed, SwapRemoveList } from "./swap-remove-list.ts";

export interface Listener {
  /** The provider has sent nothing for too long. */
  fellSilent(): void;
}

/**
 * How long providers may be silent. One timer serves all calls: a timer per call would cost more than the rest of its
 * bookkeeping.
 */
export class Deadlines {
  readonly #watches = new SwapRemoveList<Watch>();
  readonly #everyMs: number;
  /** null: there were no calls at the last sweep. */
  #timer: Timer | null = null;
  #sweptAt = 0;

  constructor(private readonly timeoutMs: number) {
    this.#everyMs = Math.min(250, Math.max(5, Math.floor(timeoutMs / 10)));
  }

  watch(listener: Listener): Watch {
    const watch = new Watch(this.timeoutMs, listener, this.#watches);
    this.#watches.add(watch);
    if (this.#timer === null) this.#start();
    return watch;
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  #start(): void {
    this.#sweptAt = performance.now();
    this.#timer = setInterval(() => this.#sweep(), this.#everyMs);
    this.#timer.unref();
  }

  #sweep(): void {
    if (this.#watches.size === 0) {
      this.close();
      return;
    }
    const now = performance.now();
    // While the process itself was paused (a suspended machine, a long GC), nothing was read: data waiting in the
    // socket is not silence.
    const lateMs = now - this.#sweptAt - this.#everyMs;
    const stalledMs = lateMs > this.#everyMs ? lateMs : 0;
    this.#sweptAt = now;
    for (const watch of this.#watches.all()) {
      // Sampled here instead of measured with every chunk: enough to notice a client that is slow for long.
      if (watch.expiresAtMs === PAUSED) watch.wasPaused = true;
      watch.expiresAtMs += stalledMs;
      // An earlier listener may have stopped it.
      if (watch.expiresAtMs > now || watch.index === -1) continue;
      watch.stop();
      watch.listener.fellSilent();
    }
  }
}

const PAUSED = Number.POSITIVE_INFINITY;
const NEVER = Number.MAX_VALUE;

export class Watch implements Indexed {
  index = -1;
  expiresAtMs = NEVER;
  /** The provider had to wait for a slow client. */
  wasPaused = false;

  constructor(
    private readonly timeoutMs: number,
    readonly listener: Listener,
    private readonly watches: SwapRemoveList<Watch>,
  ) {}

  /** Starts waiting for the provider. */
  listen(): void {
    this.expiresAtMs = performance.now() + this.timeoutMs;
  }

  /** Waits for what comes next no longer than this. */
  expireWithin(ms: number): void {
    this.expiresAtMs = Math.min(this.expiresAtMs, performance.now() + ms);
  }

  /** Stops waiting for it: a slow client is not a silent provider. */
  pause(): void {
    this.expiresAtMs = PAUSED;
  }

  stop(): void {
    this.watches.remove(this);
  }
}
