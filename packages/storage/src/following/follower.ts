import { isSamePosition, LedgerDiverged, type LedgerPosition } from "../ledger/ledger-position.ts";
import type { LedgerReader } from "../ledger/ledger-reader.ts";
import { backOffMs } from "./back-off.ts";
import { BatchSize } from "./batch-size.ts";
import type { Applied, Batch, Consumer } from "./consumer.ts";
import type { Cursor, Step } from "./cursor.ts";
import type { LedgerContinuity } from "./ledger-continuity.ts";
import { nextTurn } from "./next-turn.ts";
import { Pause, repeatUntil } from "./repeat-until.ts";

export interface FollowerOptions {
  /** Repairs derived data when the ledger has lost events; absent: the loss throws. */
  readonly continuity?: LedgerContinuity | undefined;
  /** Called with each fault in `run`, which continues. */
  readonly onFault?: ((fault: unknown, reader: string) => void) | undefined;
}

export interface FollowerStatus {
  readonly reader: string;
  /** The last event that was consumed or skipped. Everything derived from it is committed. */
  readonly position: number;
  /** Events not yet consumed. */
  readonly lag: number;
  /** Faults since the start. */
  readonly faults: number;
}

interface AppliedStep extends Step {
  readonly afterCommit: (() => void) | undefined;
}

/**
 * Feeds the ledger to one consumer: finds its position, reads the next batch from a snapshot that contains that
 * position, passes it to the consumer in the transaction that moves the cursor, and repeats until a signal. Each
 * consumer has its own follower and yields the event loop after each batch, so a slow one delays no other.
 */
export class Follower<Events, Tx> implements FollowerStatus {
  #position = 0;
  #faults = 0;
  #faultsInARow = 0;
  #isPrepared = false;
  #upkeepAt = 0;
  readonly #batchSize: BatchSize;
  /** The last repair that this follower has seen. */
  #generation: number;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly ledger: LedgerReader,
    private readonly cursor: Cursor<Tx>,
    private readonly consumer: Consumer<Events, Tx>,
    private readonly options: FollowerOptions = {},
  ) {
    this.#generation = options.continuity?.generation ?? 0;
    this.#batchSize = new BatchSize(consumer.batchSize, consumer.largestBatch ?? consumer.batchSize);
    options.continuity?.requireRepair(consumer.repair);
  }

  get reader(): string {
    return this.consumer.repair.reader;
  }

  get position(): number {
    return this.#position;
  }

  get lag(): number {
    return Math.max(0, this.ledger.newestSeq() - this.#position);
  }

  get faults(): number {
    return this.#faults;
  }

  /** Runs until the signal, and finishes the current batch. After a fault it retries with back-off. */
  run(signal: AbortSignal): Promise<void> {
    return repeatUntil(
      signal,
      this.consumer.pollMs,
      () => this.#runOnce(signal),
      fault => {
        throw fault;
      },
    );
  }

  /**
   * Resolves once everything now in the ledger is consumed, with the number of new events. The signal ends it after the
   * current batch.
   */
  catchUp(signal?: AbortSignal): Promise<number> {
    return this.between(async () => {
      const target = this.ledger.newestSeq();
      for (let events = 0; ; await nextTurn()) {
        this.#noticeRepair();
        const { count, isMore } = await this.#turn(target, signal, true);
        events += count;
        if (!isMore || signal?.aborted === true) return events;
      }
    });
  }

  /** Stores how far it has read, even if nothing was derived from the last events. */
  store(): Promise<void> {
    return this.between(async () => this.cursor.store?.());
  }

  /** Runs work between two batches. */
  between<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(() => {
      this.#noticeRepair();
      return work();
    });
    this.#last = turn.catch(() => {});
    return turn;
  }

  /** Resolves with the pause before the next run. */
  async #runOnce(signal: AbortSignal): Promise<"again" | Pause | undefined> {
    try {
      const isUpkeepDue = performance.now() >= this.#upkeepAt;
      const { isMore } = await this.between(() => this.#turn(Number.MAX_SAFE_INTEGER, signal, isUpkeepDue));
      this.#faultsInARow = 0;
      return isMore ? "again" : undefined;
    } catch (fault) {
      this.#faults++;
      this.options.onFault?.(fault, this.reader);
      return new Pause(backOffMs(++this.#faultsInARow));
    }
  }

  /** At most one batch, and the consumer's upkeep. */
  async #turn(
    target: number,
    signal: AbortSignal | undefined,
    isUpkeepDue: boolean,
  ): Promise<{ readonly count: number; readonly isMore: boolean }> {
    const { continuity } = this.options;
    for (;;) {
      try {
        const { count, isMore } = await this.#step(target, signal);
        const isUpkeepLeft = isUpkeepDue && (await this.#upkeep());
        return { count, isMore: isMore || isUpkeepLeft };
      } catch (fault) {
        this.#forget();
        if (!(fault instanceof LedgerDiverged)) throw fault;
        // Another process may already have repaired it.
        if (await this.cursor.refresh()) continue;
        if (continuity === undefined) throw fault;
        await continuity.reconcile();
        this.#startOver();
      }
    }
  }

  async #step(
    target: number,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly count: number; readonly isMore: boolean }> {
    const at = await this.cursor.position();
    this.#position = at.seq;
    if (!this.#isPrepared) {
      this.#isPrepared = (await this.consumer.prepare?.(at, signal)) ?? true;
    }
    // Read before `hasWork`: an event that arrives later may be needed by then.
    const newest = this.ledger.newestPosition();
    const isDone = !this.#isPrepared || isSamePosition(at, newest);
    if (isDone || (await this.#isAtLimit(at, target))) return { count: 0, isMore: false };
    const hasWork = this.consumer.hasWork?.();
    if ((hasWork instanceof Promise ? await hasWork : hasWork) === false) {
      this.cursor.skip(
        at,
        this.ledger.readFrom(at, () => newest),
      );
      this.#position = newest.seq;
      return { count: 0, isMore: true };
    }
    const started = performance.now();
    const step = await this.cursor.advance(at, transaction => this.#apply(at, target, transaction));
    if (step === null) {
      // Another process has moved the cursor: continue from there.
      this.#forget();
      return { count: 0, isMore: true };
    }
    this.#position = step.to.seq;
    step.afterCommit?.();
    const count = step.to.seq - at.seq;
    this.#batchSize.adapt(count, performance.now() - started);
    return { count, isMore: count > 0 };
  }

  async #isAtLimit(at: LedgerPosition, target: number): Promise<boolean> {
    const limit = (await this.consumer.limit?.(null)) ?? target;
    if (at.seq < Math.min(limit, target)) return false;
    // The event may still be lost. A position from a version that stored no event id gets it here.
    this.cursor.skip(
      at,
      this.ledger.readFrom(at, confirmed => confirmed),
    );
    return true;
  }

  /** Synchronous if the consumer is. */
  #apply(at: LedgerPosition, target: number, transaction: Tx): AppliedStep | Promise<AppliedStep> {
    const limit = this.consumer.limit?.(transaction) ?? target;
    return andThen(limit, last => {
      const batch = this.#read(at, Math.min(last, target, at.seq + this.#batchSize.current));
      if (batch.to.seq === at.seq) return { to: batch.to, isEmpty: true, afterCommit: undefined };
      return andThen(this.consumer.apply(batch, transaction), applied => toStep(batch, applied));
    });
  }

  #read(at: LedgerPosition, upTo: number): Batch<Events> {
    return this.ledger.readFrom(at, from => ({
      from,
      to: upTo > from.seq ? this.ledger.lastPositionUpTo(upTo) : from,
      events: this.consumer.read(from.seq, upTo),
    }));
  }

  async #upkeep(): Promise<boolean> {
    const { upkeep, upkeepEveryMs = 0 } = this.consumer;
    if (upkeep === undefined) return false;
    const isMore = await upkeep.call(this.consumer);
    this.#upkeepAt = isMore ? 0 : performance.now() + upkeepEveryMs;
    return isMore;
  }

  /** Another follower may have detected that the ledger lost events. */
  #noticeRepair(): void {
    if ((this.options.continuity?.generation ?? 0) !== this.#generation) this.#startOver();
  }

  #forget(): void {
    this.#isPrepared = false;
    this.consumer.forget?.();
  }

  #startOver(): void {
    this.#generation = this.options.continuity?.generation ?? 0;
    this.cursor.forget();
    this.#forget();
  }
}

function toStep(batch: Batch<unknown>, { upTo, isEmpty = false, afterCommit }: Applied): AppliedStep {
  return { to: upTo ?? batch.to, isEmpty, afterCommit };
}

function andThen<Value, Result>(
  value: Value | Promise<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}
