import { nextTurn } from "../engine/next-turn.ts";
import { nextBeat, type Pulse } from "../engine/pulse.ts";
import {
  isSamePosition,
  LEDGER_START,
  LedgerDiverged,
  type LedgerPosition,
} from "../ledger/ledger-position.ts";
import type { LedgerReader } from "../ledger/ledger-reader.ts";
import { backOffMs } from "./back-off.ts";
import { BatchSize } from "./batch-size.ts";
import type { Applied, Batch, Consumer } from "./consumer.ts";
import type { Cursor, Step } from "./cursor.ts";
import type { LedgerContinuity } from "./ledger-continuity.ts";
import { Pause, repeatUntil, type Sleep, sleepOrStop } from "./repeat-until.ts";

export interface FollowerOptions {
  /** Repairs derived data when the ledger has lost events; absent: the loss throws. */
  readonly continuity?: Pick<LedgerContinuity, "generation" | "requireRepair" | "reconcile"> | undefined;
  /** Called with each fault in `run`, which continues. */
  readonly onFault?: ((fault: unknown, reader: string) => void) | undefined;
  /** By default the monotonic clock of this process, and its timers. */
  readonly clock?: FollowerClock | undefined;
}

export interface FollowerClock {
  nowMs(): number;
  readonly sleep: Sleep;
}

const processClock: FollowerClock = { nowMs: () => performance.now(), sleep: sleepOrStop };

export interface FollowerStatus {
  readonly reader: string;
  /** The last event that was consumed or skipped. Everything derived from it is committed. */
  readonly position: number;
  /** Events not yet consumed. */
  readonly lag: number;
  /** Faults since the start. */
  readonly faults: number;
  /** It had faults again and again, and has made no progress since. */
  readonly isStuck: boolean;
}

/** Fewer may be a busy database. */
const STUCK_AFTER_FAULTS = 3;

/** The safety net: what wakes a follower is a commit, or its consumer's upkeep. */
const MAX_WAIT_MS = 10_000;

/**
 * A consumer for which larger batches take less time per event rests after one that ended its backlog: most of what a
 * batch costs is the same for one event as for a thousand. The first event after a while is not delayed.
 */
const BATCH_REST_MS = 150;
/** While a consumer needs no events, the query that finds this out is all it does. */
const UNNEEDED_REST_MS = 250;

interface Turn {
  readonly count: number;
  readonly isMore: boolean;
  /** As many events as a batch may have: there are probably more. */
  readonly isFull: boolean;
  /** There are events that the consumer has not read, or may not read yet. */
  readonly isHeldBack: boolean;
  /** The consumer has found out that it needs none of the events. */
  readonly isUnneeded: boolean;
}

const nothingRead = { count: 0, isFull: false, isUnneeded: false } as const;

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
  #lastUpkeepAt = Number.NEGATIVE_INFINITY;
  /** The beats of all pulses before the last upkeep. */
  #upkeepBeats = 0;
  /** Of the databases whose changes wake it. */
  readonly #pulses: readonly Pulse[];
  readonly #batchSize: BatchSize;
  readonly #clock: FollowerClock;
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
    this.#clock = options.clock ?? processClock;
    this.#pulses = consumer.upkeepOn ? [ledger.pulse, consumer.upkeepOn] : [ledger.pulse];
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

  get isStuck(): boolean {
    return this.#faultsInARow >= STUCK_AFTER_FAULTS;
  }

  /** Runs until the signal, and finishes the current batch. After a fault it retries with back-off. */
  run(signal: AbortSignal): Promise<void> {
    return repeatUntil(
      signal,
      0,
      () => this.#runOnce(signal),
      fault => {
        throw fault;
      },
      this.#clock.sleep,
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

  /** One turn, and the wait for the next. Resolves with the rest of that wait. */
  async #runOnce(signal: AbortSignal): Promise<"again" | Pause> {
    const seen = this.#pulses.map(pulse => ({ pulse, seen: pulse.beats }));
    const startedAt = this.#clock.nowMs();
    try {
      const turn = await this.between(() =>
        this.#turn(Number.MAX_SAFE_INTEGER, signal, startedAt >= this.#upkeepAt),
      );
      this.#faultsInARow = 0;
      if (turn.isMore && (turn.isFull || turn.count === 0)) return "again";
      const nextAt = Math.max(startedAt + this.consumer.pollMs, this.#clock.nowMs() + this.#restMs(turn));
      if (!turn.isHeldBack) await nextBeat(seen, this.#maxWaitMs(), signal);
      return new Pause(Math.max(0, nextAt - this.#clock.nowMs()));
    } catch (fault) {
      this.#faults++;
      this.options.onFault?.(fault, this.reader);
      return new Pause(backOffMs(++this.#faultsInARow));
    }
  }

  get #upkeepAt(): number {
    const { upkeepOn, upkeepEveryMs = 0 } = this.consumer;
    const isUnchanged = upkeepOn && this.#beats === this.#upkeepBeats;
    return this.#lastUpkeepAt + (isUnchanged ? MAX_WAIT_MS : upkeepEveryMs);
  }

  get #beats(): number {
    return this.#pulses.reduce((sum, { beats }) => sum + beats, 0);
  }

  #maxWaitMs(): number {
    if (this.consumer.upkeep === undefined) return MAX_WAIT_MS;
    // A timer of 199.6 ms would fire too early, and the next would be one of 0.4 ms.
    return Math.max(0, Math.min(MAX_WAIT_MS, Math.ceil(this.#upkeepAt - this.#clock.nowMs())));
  }

  #restMs({ count, isUnneeded }: Turn): number {
    if (isUnneeded) return UNNEEDED_REST_MS;
    return count === 0 || this.consumer.largestBatch === undefined ? 0 : BATCH_REST_MS;
  }

  /** At most one batch, and the consumer's upkeep. */
  async #turn(target: number, signal: AbortSignal | undefined, isUpkeepDue: boolean): Promise<Turn> {
    const { continuity } = this.options;
    for (;;) {
      try {
        const turn = await this.#step(target, signal);
        const isUpkeepLeft = isUpkeepDue && (await this.#upkeep());
        return { ...turn, isMore: turn.isMore || isUpkeepLeft };
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

  async #step(target: number, signal: AbortSignal | undefined): Promise<Turn> {
    const at = await this.cursor.position();
    this.#position = at.seq;
    if (!this.#isPrepared) {
      this.#isPrepared = (await this.consumer.prepare?.(at, signal)) ?? true;
    }
    // Read before `hasWork`: an event that arrives later may be needed by then.
    const newest = this.ledger.newestPosition();
    const isDone = isSamePosition(at, newest);
    if (!this.#isPrepared || isDone || (await this.#isAtLimit(at, target))) {
      return { ...nothingRead, isMore: false, isHeldBack: !isDone };
    }
    const hasWork = this.consumer.hasWork?.();
    if ((hasWork instanceof Promise ? await hasWork : hasWork) === false) {
      this.cursor.skip(
        at,
        this.ledger.readFrom(at, () => newest),
      );
      this.#position = newest.seq;
      return { ...nothingRead, isMore: false, isHeldBack: false, isUnneeded: hasWork instanceof Promise };
    }
    const before = process.threadCpuUsage();
    const size = this.#batchSize.current;
    const step = await this.cursor.advance(at, transaction => this.#apply(at, target, transaction));
    if (step === null) {
      // Another process has moved the cursor: continue from there.
      this.#forget();
      return { ...nothingRead, isMore: true, isHeldBack: false };
    }
    this.#position = step.to.seq;
    step.afterCommit?.();
    const count = step.to.seq - at.seq;
    const { user, system } = process.threadCpuUsage(before);
    this.#batchSize.adapt(count, this.cursor.delaysWriters ? (user + system) / 1000 : null);
    const isHeldBack = step.to.seq < newest.seq;
    return { count, isMore: count > 0, isFull: count >= size, isHeldBack, isUnneeded: false };
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
      // A ledger that retention has shortened has nothing right after its start.
      const after = at.seq === LEDGER_START.seq ? Math.max(0, this.ledger.oldestSeq() - 1) : at.seq;
      const batch = this.#read(at, Math.min(last, target, after + this.#batchSize.current));
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
    const { upkeep } = this.consumer;
    if (upkeep === undefined) return false;
    const beats = this.#beats;
    const isMore = await upkeep.call(this.consumer);
    this.#upkeepBeats = beats;
    this.#lastUpkeepAt = isMore ? Number.NEGATIVE_INFINITY : this.#clock.nowMs();
    return isMore;
  }

  /** Another follower may have detected that the ledger lost events. */
  #noticeRepair(): void {
    if ((this.options.continuity?.generation ?? 0) !== this.#generation) this.#startOver();
  }

  #forget(): void {
    this.#isPrepared = false;
    this.#lastUpkeepAt = Number.NEGATIVE_INFINITY;
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
