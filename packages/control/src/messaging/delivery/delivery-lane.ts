import type { Delivery } from "./delivery.ts";

const PAGE = 100;
/** At most this many results wait to be recorded before more deliveries are read. */
const MAX_HELD = 512;
/** A closed port fails immediately: without a pause, ten thousand attempts would starve all other lanes. */
const FAILURES_IN_A_ROW = 4;
const PAUSE_MS = 50;

export interface LaneParts {
  readonly now: () => number;
  readonly readDue: (receiver: string, now: number, limit: number) => Promise<readonly Delivery[]>;
  readonly nextDueAfter: (receiver: string, now: number) => Promise<number | null>;
  /** Resolves when the attempt is over, with whether it was delivered. */
  readonly send: (delivery: Delivery) => Promise<boolean>;
  /** The current limit on concurrent attempts. */
  readonly width: (isFailing: boolean) => number;
  /** Called when the lane's next wake-up time is known. */
  readonly onDue: (at: number) => void;
  readonly onFault: (fault: unknown) => void;
}

/**
 * The queue of one receiver. It reads due deliveries in small pages and sends a few at a time; other receivers have
 * their own lanes, so one that hangs delays nobody else. A delivery is held from when it is read until its result is
 * recorded, and held deliveries are not read again.
 */
export class DeliveryLane {
  /** When the next delivery that is not held is due; null: none is known. */
  nextDueAt: number | null = null;
  #queue: Delivery[] = [];
  readonly #held = new Set<string>();
  /** Recorded during the current read, which may have returned their previous state. */
  readonly #releasedDuringRead = new Set<string>();
  #inFlight = 0;
  #failuresInARow = 0;
  #mayBeMore = false;
  #isReading = false;
  #isStopped = false;

  constructor(
    readonly receiver: string,
    private readonly parts: LaneParts,
  ) {}

  /** Idle with nothing scheduled: the lane can be discarded. */
  get isIdle(): boolean {
    return this.#held.size === 0 && !this.#isReading && !this.#mayBeMore && this.nextDueAt === null;
  }

  /** Something may be due. */
  wake(): void {
    this.#mayBeMore = true;
    this.#go();
  }

  /** Discards what was read and not started; it is still in the database, unchanged. */
  stop(): void {
    this.#isStopped = true;
    this.dropQueue();
  }

  dropQueue(): void {
    for (const { id } of this.#queue) this.#held.delete(id);
    this.#queue = [];
  }

  /** The result is recorded; `nextAttemptAt` if it will be retried. */
  release(id: string, nextAttemptAt: number | null): void {
    this.#held.delete(id);
    if (this.#isReading) this.#releasedDuringRead.add(id);
    if (nextAttemptAt !== null) this.#expect(nextAttemptAt);
    this.#go();
  }

  #go(): void {
    while (!this.#isStopped && this.#inFlight < this.parts.width(this.#failuresInARow > 0)) {
      const delivery = this.#queue.shift();
      if (delivery === undefined) break;
      void this.#send(delivery);
    }
    if (this.#queue.length === 0 && this.#mayBeMore && this.#held.size < MAX_HELD) void this.#read();
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
      // Held deliveries are still due according to the database, and come first.
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
      this.#releasedDuringRead.clear();
    }
    this.#go();
  }

  #take(rows: readonly Delivery[]): void {
    for (const delivery of rows) {
      if (this.#held.has(delivery.id)) continue;
      if (this.#releasedDuringRead.has(delivery.id)) {
        // Already sent, or due again: only another read can tell.
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
