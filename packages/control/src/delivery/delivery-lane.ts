import type { Delivery } from "./delivery.ts";

const PAGE = 100;
/** At most so many wait to be recorded before more is read. */
const MOST_HELD = 512;
/** A door that is closed answers at once: without a pause, ten thousand knocks would take the time of all others. */
const FAILURES_IN_A_ROW = 4;
const PAUSE_MS = 50;

export interface LaneParts {
  readonly now: () => number;
  readonly readDue: (receiver: string, now: number, limit: number) => Promise<readonly Delivery[]>;
  readonly nextDueAfter: (receiver: string, now: number) => Promise<number | null>;
  /** Resolves when the try is over, with whether it arrived. */
  readonly send: (delivery: Delivery) => Promise<boolean>;
  /** How many tries at a time, just now. */
  readonly width: (isFailing: boolean) => number;
  /** It has become known when the lane has to be woken again. */
  readonly onDue: (at: number) => void;
  readonly onFault: (fault: unknown) => void;
}

/**
 * The queue of one receiver. It reads what is due in small pages and sends a few at a time; other receivers have
 * lanes of their own, so one that hangs holds up nobody else. A delivery is held from when it is read until its
 * result is on record, and what is held is not read again.
 */
export class DeliveryLane {
  /** When something is due that is not held; null: nothing that is known of. */
  nextDueAt: number | null = null;
  #queue: Delivery[] = [];
  readonly #held = new Set<string>();
  /** Of the read that is under way: it may have seen them as they were before their result was on record. */
  readonly #releasedMeanwhile = new Set<string>();
  #inFlight = 0;
  #failuresInARow = 0;
  #mayBeMore = false;
  #isReading = false;
  #isStopped = false;

  constructor(
    readonly receiver: string,
    private readonly parts: LaneParts,
  ) {}

  /** Nothing to do, nothing to wait for: it need not be kept. */
  get isIdle(): boolean {
    return this.#held.size === 0 && !this.#isReading && !this.#mayBeMore && this.nextDueAt === null;
  }

  /** Something may be due. */
  wake(): void {
    this.#mayBeMore = true;
    this.#go();
  }

  /** What was read and not begun is forgotten; it is still in the database, as it was. */
  stop(): void {
    this.#isStopped = true;
    this.dropQueue();
  }

  dropQueue(): void {
    for (const { id } of this.#queue) this.#held.delete(id);
    this.#queue = [];
  }

  /** The result is on record; `nextAttemptAt` where it is to be tried again. */
  release(id: string, nextAttemptAt: number | null): void {
    this.#held.delete(id);
    if (this.#isReading) this.#releasedMeanwhile.add(id);
    if (nextAttemptAt !== null) this.#expect(nextAttemptAt);
    this.#go();
  }

  #go(): void {
    while (!this.#isStopped && this.#inFlight < this.parts.width(this.#failuresInARow > 0)) {
      const delivery = this.#queue.shift();
      if (delivery === undefined) break;
      void this.#send(delivery);
    }
    if (this.#queue.length === 0 && this.#mayBeMore && this.#held.size < MOST_HELD) void this.#read();
  }

  async #send(delivery: Delivery): Promise<void> {
    this.#inFlight++;
    this.#failuresInARow = (await this.parts.send(delivery)) ? 0 : this.#failuresInARow + 1;
    if (this.#failuresInARow >= FAILURES_IN_A_ROW) await Bun.sleep(PAUSE_MS);
    this.#inFlight--;
    this.#go();
  }

  async #read(): Promise<void> {
    if (this.#isReading || this.#isStopped) return;
    this.#isReading = true;
    this.#mayBeMore = false;
    try {
      const now = this.parts.now();
      // What is held is still due as far as the database knows, and stands in front.
      const limit = PAGE + this.#held.size;
      const rows = await this.parts.readDue(this.receiver, now, limit);
      if (rows.length === limit) this.#mayBeMore = true;
      else {
        this.nextDueAt = null;
        const next = await this.parts.nextDueAfter(this.receiver, now);
        if (next !== null) this.#expect(next);
      }
      if (!this.#isStopped) this.#take(rows);
    } catch (fault) {
      this.#mayBeMore = true;
      this.parts.onFault(fault);
      return;
    } finally {
      this.#isReading = false;
      this.#releasedMeanwhile.clear();
    }
    this.#go();
  }

  #take(rows: readonly Delivery[]): void {
    for (const delivery of rows) {
      if (this.#held.has(delivery.id)) continue;
      if (this.#releasedMeanwhile.has(delivery.id)) {
        // Sent already, or due again: only another read can tell.
        this.#mayBeMore = true;
        continue;
      }
      this.#held.add(delivery.id);
      this.#queue.push(delivery);
    }
  }

  #expect(at: number): void {
    if (this.nextDueAt !== null && this.nextDueAt <= at) return;
    this.nextDueAt = at;
    this.parts.onDue(at);
  }
}
