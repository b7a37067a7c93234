import { watchFile } from "./watch-file.ts";

/** Differs after every commit, here or in another process. */
export type Version = string | number;

export interface PulseOptions {
  readonly readVersion: () => Version;
  /** Written with every commit. */
  readonly logPath: string;
  /** While there are commits, or the log cannot be watched. */
  readonly lookEveryMs: number;
  /** While the log is watched. */
  readonly restingLookEveryMs?: number;
  /** How long the log must be quiet before it is watched. */
  readonly restAfterMs?: number;
}

/** The delay of a change that the watch misses. */
const RESTING_LOOK_EVERY_MS = 250;
const REST_AFTER_MS = 500;

/**
 * Wakes everything in this process that waits for a database to change. One look at the database's version serves all
 * of them: a query by each would keep an idle process busy. While the database is quiet, its log is watched instead.
 * While it is busy, the watch is closed: it would report every single write.
 */
export class Pulse {
  #beats = 0;
  #version: Version | null = null;
  #looks: ReturnType<typeof setInterval> | null = null;
  #stopWatching: (() => void) | null = null;
  /** On the monotonic clock. */
  #busyUntilMs = Number.NEGATIVE_INFINITY;
  readonly #waiting = new Set<() => void>();

  constructor(private readonly options: PulseOptions) {}

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
      if (this.#looks === null) this.#startLooking();
    });
  }

  #startLooking(): void {
    const { logPath, lookEveryMs, restingLookEveryMs = RESTING_LOOK_EVERY_MS } = this.options;
    if (this.#isQuiet) {
      this.#stopWatching = watchFile(logPath, () => this.#logChanged());
      // Tried again later.
      if (this.#stopWatching === null) this.#stayBusy();
    }
    const isWatching = this.#stopWatching !== null;
    this.#looks = setInterval(() => this.#look(), isWatching ? restingLookEveryMs : lookEveryMs);
    // The watch does not report what was written before it.
    if (isWatching) this.#look();
  }

  #stopLooking(): void {
    if (this.#looks !== null) clearInterval(this.#looks);
    this.#looks = null;
    this.#stopWatching?.();
    this.#stopWatching = null;
  }

  /** The log is written before the commit is visible: this look may be too early, and then the next ones find it. */
  #logChanged(): void {
    this.#stayBusy();
    this.#stopLooking();
    this.#startLooking();
    this.#look();
  }

  #look(): void {
    const version = this.#tryVersion();
    if (version !== this.#version) {
      this.#version = version;
      this.#stayBusy();
      this.beat();
    } else if (this.#stopWatching === null && this.#isQuiet) {
      this.#stopLooking();
      this.#startLooking();
    }
  }

  get #isQuiet(): boolean {
    return performance.now() >= this.#busyUntilMs;
  }

  #stayBusy(): void {
    this.#busyUntilMs = performance.now() + (this.options.restAfterMs ?? REST_AFTER_MS);
  }

  /** null: the database cannot be read, which is for each of its readers to report and retry. */
  #tryVersion(): Version | null {
    try {
      return this.options.readVersion();
    } catch {
      return null;
    }
  }
}
