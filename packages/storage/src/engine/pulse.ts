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
const FIRST_PAUSE_MS = 1;

/**
 * Wakes everything in this process that waits for a database to change. One look at the database's version serves all
 * of them: a query by each would keep an idle process busy. While the database is quiet, its log is watched instead.
 * While it is busy, the watch is closed: it would report every single write.
 */
export class Pulse {
  #beats = 0;
  #version: Version | null = null;
  #nextLook: ReturnType<typeof setTimeout> | null = null;
  #stopWatching: (() => void) | null = null;
  /** On the monotonic clock. */
  #busyUntilMs = Number.NEGATIVE_INFINITY;
  /** What waits, and until when. */
  readonly #waiting = new Map<() => void, number>();

  constructor(private readonly options: PulseOptions) {}

  /** Remember it before reading the database, and pass it to `next`: no commit in between is missed. */
  get beats(): number {
    return this.#beats;
  }

  get restingLookEveryMs(): number {
    return this.options.restingLookEveryMs ?? RESTING_LOOK_EVERY_MS;
  }

  /** Wakes all of them. */
  beat(): void {
    this.#beats++;
    for (const wake of [...this.#waiting.keys()]) wake();
  }

  /** Resolves at the first beat after `seen`, after `maxMs`, or at the signal. */
  next(seen: number, maxMs: number, signal: AbortSignal): Promise<void> {
    return nextBeat([{ pulse: this, seen }], maxMs, signal);
  }

  /** Calls `wake` at each beat, and at the first look after a moment of the monotonic clock, until it is removed. */
  add(wake: () => void, untilMs: number): void {
    this.#waiting.set(wake, untilMs);
    if (this.#nextLook === null) this.#startLooking(this.options.lookEveryMs);
  }

  remove(wake: () => void): void {
    this.#waiting.delete(wake);
    if (this.#waiting.size === 0) this.#stopLooking();
  }

  /** The pauses between two looks double from `pauseMs` on, up to the usual one. */
  #startLooking(pauseMs: number): void {
    const { logPath, lookEveryMs } = this.options;
    if (this.#isQuiet) {
      this.#stopWatching = watchFile(logPath, () => this.#logChanged());
      // Tried again later.
      if (this.#stopWatching === null) this.#stayBusy();
    }
    if (this.#stopWatching === null) {
      this.#lookEvery(lookEveryMs, pauseMs);
      return;
    }
    this.#lookEvery(this.restingLookEveryMs, this.restingLookEveryMs);
    // The watch does not report what was written before it.
    this.#look();
  }

  #lookEvery(everyMs: number, pauseMs: number): void {
    this.#nextLook = setTimeout(() => {
      this.#lookEvery(everyMs, Math.min(everyMs, 2 * pauseMs));
      this.#look();
    }, pauseMs);
  }

  #stopLooking(): void {
    if (this.#nextLook !== null) clearTimeout(this.#nextLook);
    this.#nextLook = null;
    this.#stopWatching?.();
    this.#stopWatching = null;
  }

  /** The log is written before the commit is visible: this look may be too early, and the next one follows soon. */
  #logChanged(): void {
    this.#stayBusy();
    this.#stopLooking();
    this.#startLooking(FIRST_PAUSE_MS);
    this.#look();
  }

  #look(): void {
    const version = this.#tryVersion();
    if (version !== this.#version) {
      this.#version = version;
      this.#stayBusy();
      this.beat();
      return;
    }
    this.#wakeLate();
    if (this.#nextLook === null || this.#stopWatching !== null || !this.#isQuiet) return;
    this.#stopLooking();
    this.#startLooking(this.options.lookEveryMs);
  }

  #wakeLate(): void {
    const now = performance.now();
    for (const [wake, untilMs] of [...this.#waiting]) if (now >= untilMs) wake();
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

/** A pulse, and its beats when what it reports was last read. */
interface Seen {
  readonly pulse: Pulse;
  readonly seen: number;
}

/**
 * Resolves at the first beat of one of them after it was seen, after `maxMs`, or at the signal. A long wait ends with a
 * look instead of a timer of its own, so that one wake-up of the process serves many waits.
 */
export function nextBeat(all: readonly Seen[], maxMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted || all.some(({ pulse, seen }) => pulse.beats !== seen)) return Promise.resolve();
  return new Promise(resolve => {
    const isLong = all.some(({ pulse }) => maxMs >= pulse.restingLookEveryMs);
    const timer = isLong ? undefined : setTimeout(wake, maxMs);
    const untilMs = performance.now() + maxMs;
    let isAwake = false;
    function wake() {
      isAwake = true;
      clearTimeout(timer);
      signal.removeEventListener("abort", wake);
      for (const { pulse } of all) pulse.remove(wake);
      resolve();
    }
    signal.addEventListener("abort", wake, { once: true });
    // The first look may already wake it.
    for (const { pulse } of all) if (!isAwake) pulse.add(wake, untilMs);
  });
}
