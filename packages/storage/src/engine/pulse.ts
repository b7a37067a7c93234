/** Differs after every commit, here or in another process. */
export type Version = string | number;

/**
 * Wakes everything in this process that waits for a database to change. One look at the database's version serves all
 * of them: a query by each would keep an idle process busy.
 */
export class Pulse {
  #beats = 0;
  #version: Version | null = null;
  #looks: ReturnType<typeof setInterval> | null = null;
  readonly #waiting = new Set<() => void>();

  constructor(
    private readonly readVersion: () => Version,
    private readonly lookEveryMs: number,
  ) {}

  /** Remember it before reading the database, and pass it to `next`: no commit in between is missed. */
  get beats(): number {
    return this.#beats;
  }

  /** Wakes all of them. */
  beat(): void {
    this.#beats++;
    for (const wake of [...this.#waiting]) wake();
  }

  /** Resolves at the first beat after `seen`, after `maxMs`, or at the signal. */
  next(seen: number, maxMs: number, signal: AbortSignal): Promise<void> {
    if (this.#beats !== seen || signal.aborted) return Promise.resolve();
    return new Promise(resolve => {
      const wake = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", wake);
        this.#waiting.delete(wake);
        if (this.#waiting.size === 0) this.#stopLooking();
        resolve();
      };
      const timer = setTimeout(wake, maxMs);
      signal.addEventListener("abort", wake, { once: true });
      this.#waiting.add(wake);
      this.#looks ??= setInterval(() => this.#look(), this.lookEveryMs);
    });
  }

  #look(): void {
    const version = this.#tryVersion();
    if (version === this.#version) return;
    this.#version = version;
    this.beat();
  }

  /** null: the database cannot be read, which is for each of its readers to report and retry. */
  #tryVersion(): Version | null {
    try {
      return this.readVersion();
    } catch {
      return null;
    }
  }

  #stopLooking(): void {
    if (this.#looks !== null) clearInterval(this.#looks);
    this.#looks = null;
  }
}
