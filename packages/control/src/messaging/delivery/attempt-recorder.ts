import type { Result } from "./record-attempts.ts";

const GATHER_MS = 30;
const MAX_BATCH = 500;
const RETRY_AFTER_MS = 1000;

interface RecorderOptions {
  /** Writes all of them, or rejects and has written none. */
  readonly write: (results: readonly Result[]) => Promise<void>;
  readonly onFault: (fault: unknown) => void;
}

/**
 * Batches results briefly and writes them together: one transaction each would cost more than the sending. A batch
 * that cannot be written is kept and retried; until then its deliveries are not sent again.
 */
export class AttemptRecorder {
  readonly #options: RecorderOptions;
  #waiting: Result[] = [];
  #timer: ReturnType<typeof setTimeout> | null = null;
  #writing: Promise<void> | null = null;
  #isClosed = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  add(result: Result): void {
    if (this.#isClosed) return;
    this.#waiting.push(result);
    this.#arm(GATHER_MS);
  }

  /** Writes what is left, once; afterwards nothing is accepted or written. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer) clearTimeout(this.#timer);
    await this.#writing;
    if (this.#waiting.length > 0) await this.#options.write(this.#waiting).catch(this.#options.onFault);
    this.#waiting = [];
  }

  #arm(delayMs: number): void {
    if (this.#timer || this.#writing) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#writing = this.#write();
    }, delayMs);
  }

  async #write(): Promise<void> {
    const results = this.#waiting.slice(0, MAX_BATCH);
    let pauseMs = GATHER_MS;
    try {
      await this.#options.write(results);
      this.#waiting = this.#waiting.slice(results.length);
    } catch (fault) {
      this.#options.onFault(fault);
      pauseMs = RETRY_AFTER_MS;
    }
    this.#writing = null;
    if (this.#waiting.length > 0 && !this.#isClosed) this.#arm(pauseMs);
  }
}
