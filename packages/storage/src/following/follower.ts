import { isSamePosition, LedgerDiverged, type LedgerPosition } from "../ledger/ledger-position.ts";
import type { LedgerReader } from "../ledger/ledger-reader.ts";
import { backOffMs } from "./back-off.ts";
import type { Batch, Consumer, Taken } from "./consumer.ts";
import type { Cursor, Step } from "./cursor.ts";
import type { LedgerContinuity } from "./ledger-continuity.ts";
import { nextTurn } from "./next-turn.ts";
import { Pause, repeatUntil } from "./repeat-until.ts";

export interface FollowerOptions {
  /** Repairs derived data when the ledger has lost events; absent: the loss is thrown. */
  readonly continuity?: LedgerContinuity | undefined;
  /** A fault that `run` survived. */
  readonly onFault?: ((fault: unknown, reader: string) => void) | undefined;
}

export interface FollowerStatus {
  readonly reader: string;
  /** The last event that was taken, or skipped. What was derived from it is committed. */
  readonly position: number;
  /** Events that are still to be taken. */
  readonly lag: number;
  /** Faults since the start. */
  readonly faults: number;
}

interface TakenStep extends Step {
  readonly afterCommit: (() => void) | undefined;
}

/**
 * Follows the ledger for one consumer: finds its position, reads the next batch from a snapshot in which the ledger
 * still has that position, gives it to the consumer in the transaction that moves the cursor, and goes on until a
 * signal. A slow consumer delays no other: each has its own follower, and yields the event loop after each batch.
 */
export class Follower<Events, Tx> implements FollowerStatus {
  #position = 0;
  #faults = 0;
  #faultsInARow = 0;
  #isPrepared = false;
  #upkeepAt = 0;
  /** The repair that this follower has seen. */
  #generation: number;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly ledger: LedgerReader,
    private readonly cursor: Cursor<Tx>,
    private readonly consumer: Consumer<Events, Tx>,
    private readonly options: FollowerOptions = {},
  ) {
    this.#generation = options.continuity?.generation ?? 0;
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

  /** Until the signal, which a batch under way outlasts. After a fault it tries again, ever more slowly. */
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
   * Everything that is in the ledger now is taken when it resolves, with the number of events that were new. The signal
   * ends it after the batch in hand.
   */
  catchUp(signal?: AbortSignal): Promise<number> {
    return this.between(async () => {
      const target = this.ledger.newestSeq();
      for (let events = 0; ; await nextTurn()) {
        this.#noticeRepair();
        const { taken, isMore } = await this.#turn(target, signal, true);
        events += taken;
        if (!isMore || signal?.aborted === true) return events;
      }
    });
  }

  /** Runs between two batches. */
  between<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(() => {
      this.#noticeRepair();
      return work();
    });
    this.#last = turn.catch(() => {});
    return turn;
  }

  /** Resolves with the pause before the next time. */
  async #runOnce(signal: AbortSignal): Promise<"at once" | Pause | undefined> {
    try {
      const isUpkeepDue = performance.now() >= this.#upkeepAt;
      const { isMore } = await this.between(() => this.#turn(Number.MAX_SAFE_INTEGER, signal, isUpkeepDue));
      this.#faultsInARow = 0;
      return isMore ? "at once" : undefined;
    } catch (fault) {
      this.#faults++;
      this.options.onFault?.(fault, this.reader);
      return new Pause(backOffMs(++this.#faultsInARow));
    }
  }

  /** One batch at most, and the consumer's upkeep. */
  async #turn(
    target: number,
    signal: AbortSignal | undefined,
    isUpkeepDue: boolean,
  ): Promise<{ readonly taken: number; readonly isMore: boolean }> {
    const { continuity } = this.options;
    for (;;) {
      try {
        const { taken, isMore } = await this.#step(target, signal);
        const isUpkeepLeft = isUpkeepDue && (await this.#upkeep());
        return { taken, isMore: isMore || isUpkeepLeft };
      } catch (fault) {
        this.#forget();
        if (!(fault instanceof LedgerDiverged)) throw fault;
        // Another process may have had it repaired already.
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
  ): Promise<{ readonly taken: number; readonly isMore: boolean }> {
    const at = await this.cursor.position();
    this.#position = at.seq;
    if (!this.#isPrepared) {
      this.#isPrepared = (await this.consumer.prepare?.(at, signal)) ?? true;
    }
    // Before it is asked whether there is work: an event that comes later is for whoever is there by then.
    const newest = this.ledger.newestPosition();
    const isDone = !this.#isPrepared || isSamePosition(at, newest);
    if (isDone || (await this.#isAtLimit(at, target))) return { taken: 0, isMore: false };
    const hasWork = this.consumer.hasWork?.();
    if ((hasWork instanceof Promise ? await hasWork : hasWork) === false) {
      this.cursor.skip(
        at,
        this.ledger.readFrom(at, () => newest),
      );
      this.#position = newest.seq;
      return { taken: 0, isMore: true };
    }
    const step = await this.cursor.advance(at, transaction => this.#take(at, target, transaction));
    if (step === null) {
      // Another process has moved the cursor: go on from there.
      this.#forget();
      return { taken: 0, isMore: true };
    }
    this.#position = step.to.seq;
    step.afterCommit?.();
    const taken = step.to.seq - at.seq;
    return { taken, isMore: taken > 0 };
  }

  async #isAtLimit(at: LedgerPosition, target: number): Promise<boolean> {
    const limit = (await this.consumer.limit?.(null)) ?? target;
    if (at.seq < Math.min(limit, target)) return false;
    // Its event may be lost all the same. A version that stored no event id learns it here.
    this.cursor.skip(
      at,
      this.ledger.readFrom(at, confirmed => confirmed),
    );
    return true;
  }

  /** Without a pause where the consumer has none: a synchronous consumer takes its batch synchronously. */
  #take(at: LedgerPosition, target: number, transaction: Tx): TakenStep | Promise<TakenStep> {
    const limit = this.consumer.limit?.(transaction) ?? target;
    return andThen(limit, last => {
      const batch = this.#read(at, Math.min(last, target, at.seq + this.consumer.batchSize));
      if (batch.to.seq === at.seq) return { to: batch.to, isEmpty: true, afterCommit: undefined };
      return andThen(this.consumer.take(batch, transaction), taken => toStep(batch, taken));
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

  /** Another follower may have found that the ledger lost events. */
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

function toStep(batch: Batch<unknown>, { upTo, isEmpty = false, afterCommit }: Taken): TakenStep {
  return { to: upTo ?? batch.to, isEmpty, afterCommit };
}

function andThen<Value, Result>(
  value: Value | Promise<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}
