import { sql, type Transaction } from "kysely";
import type { ControlDatabase } from "../database/open-control-database.ts";
import type { ControlSchema } from "../database/schema.ts";
import { withoutSync } from "../database/without-sync.ts";
import { Following } from "../following/following.ts";
import type { LedgerContinuity } from "../following/ledger-continuity.ts";
import { repeatUntil } from "../following/repeat-until.ts";
import { beginPosition, lockPosition, movePosition } from "../following/stored-position.ts";
import { isSamePosition, LEDGER_START, type LedgerPosition } from "../ledger/ledger-position.ts";
import type { LedgerReader } from "../ledger/ledger-reader.ts";
import { storableEvent } from "../ledger/storable-name.ts";
import { adjustedUpTo } from "./adjusted-up-to.ts";
import { countOlderUnpriced } from "./count-older-unpriced.ts";
import { isUnpriced } from "./is-unpriced.ts";
import { KnownIds } from "./known-ids.ts";
import { type Change, writeDerived } from "./write-derived.ts";

export const EVENTS_CURSOR = "read-model:events";
export const ADJUSTMENTS_CURSOR = "read-model:adjustments";

const BATCH = 1000;
const POLL_MS = 20;
/** Adjustments come from people, not from calls: they are looked for less often. */
const ADJUSTMENTS_EVERY_MS = 200;

export interface FollowerOptions {
  /** Events a transaction. */
  readonly batch?: number;
  /** Repairs what was derived from another ledger. */
  readonly continuity?: LedgerContinuity;
  /** What `run` survived. */
  readonly onFault?: (fault: unknown) => void;
}

interface Cursors {
  readonly events: LedgerPosition;
  readonly adjustments: number;
}

/**
 * Makes the read model from the ledger. A batch of events, everything derived from it, and the cursor are one
 * transaction: a crash at any moment repeats nothing and skips nothing. Adjustments have a cursor of their own; one
 * that comes before its event is added when the event is.
 */
export class LedgerFollower {
  readonly #ids: KnownIds;
  readonly #batch: number;
  readonly #following: Following;
  #cursors: Cursors | null = null;
  #registeredAgents: string | null = null;
  #countsUnpriced = false;
  #committedSeq = 0;

  constructor(
    private readonly database: ControlDatabase,
    private readonly ledger: LedgerReader,
    private readonly options: FollowerOptions = {},
  ) {
    this.#batch = options.batch ?? BATCH;
    this.#ids = new KnownIds(database.engine, ledger);
    this.#following = new Following(options.continuity ?? null, () => this.#forget());
  }

  /** Everything up to this event can be read in the read model: it was committed before this was set. */
  get committedSeq(): number {
    return this.#committedSeq;
  }

  /** Resolves with the number of events that were new. The signal ends it after a batch: a stop waits for no rebuild. */
  catchUp(signal?: AbortSignal): Promise<number> {
    return this.#following.attempt(() => this.#catchUp(signal));
  }

  async #catchUp(signal?: AbortSignal): Promise<number> {
    let events = 0;
    await this.#registerAgents();
    while (signal?.aborted !== true && (await this.#countOlderUnpriced())) await nextTurn();
    while (signal?.aborted !== true) {
      const added = await this.#addEvents();
      if (added === 0) break;
      events += added;
      // SQLite never waits for anything: without this, nobody else would have a turn until the last event.
      await nextTurn();
    }
    while (signal?.aborted !== true && (await this.#applyAdjustments())) await nextTurn();
    return events;
  }

  /** Until the signal. A database that is away is waited for: the ledger keeps what there is to derive. */
  async run(signal: AbortSignal): Promise<void> {
    let lookAtAdjustments = 0;
    const look = async () => {
      const now = performance.now();
      if (this.#isAtEnd() && now < lookAtAdjustments) return;
      await this.catchUp(signal);
      lookAtAdjustments = now + ADJUSTMENTS_EVERY_MS;
    };
    await repeatUntil(signal, POLL_MS, look, fault => this.options.onFault?.(fault));
  }

  #isAtEnd(): boolean {
    return this.#cursors !== null && isSamePosition(this.ledger.newestPosition(), this.#cursors.events);
  }

  async #addEvents(): Promise<number> {
    if (this.#isAtEnd()) return 0;
    return this.#transact(async (transaction, cursors) => {
      const events = this.ledger.readFrom(cursors.events, ({ seq }) =>
        this.ledger.summariesAfter(seq, this.#batch),
      );
      const last = events.at(-1);
      if (last === undefined) return 0;
      // After the events: an agent of theirs that registered again, with another id, is renamed before they are added.
      const agents = this.ledger.agentsVersion();
      if (agents !== this.#registeredAgents) {
        await this.#ids.registerAgents(transaction);
        this.#registeredAgents = agents;
      }
      const adjusted = await adjustedUpTo(
        transaction,
        this.database.engine,
        cursors.adjustments,
        events.map(({ id }) => id),
      );
      const changes = events.map(event => ({
        kind: "event" as const,
        event: storableEvent(event),
        costMicrocents: event.cost_microcents + (adjusted.get(event.id) ?? 0),
        unpricedCalls: isUnpriced(event) && !adjusted.has(event.id) ? 1 : 0,
      }));
      await writeDerived(transaction, this.database.engine, this.#ids, "event", changes);
      await movePosition(transaction, EVENTS_CURSOR, { seq: last.seq, eventId: last.id });
      return events.length;
    });
  }

  async #applyAdjustments(): Promise<boolean> {
    const newest = await this.database.db
      .selectFrom("adjustments")
      .select(({ fn }) => fn.max<number | null>("id").as("id"))
      .executeTakeFirst();
    if (this.#cursors !== null && (newest?.id ?? 0) <= this.#cursors.adjustments) return false;
    return this.#transact(async (transaction, cursors) => {
      // Numbers are given before a commit: wait for writers under way, or one of theirs would be passed unseen.
      if (this.database.engine === "postgres") {
        await sql`LOCK TABLE adjustments IN SHARE MODE`.execute(transaction);
      }
      const adjustments = await transaction
        .selectFrom("adjustments")
        .select(["id", "event_id", "amount_microcents"])
        .where("id", ">", cursors.adjustments)
        .orderBy("id")
        .limit(this.#batch)
        .execute();
      const last = adjustments.at(-1);
      if (last === undefined) return false;
      const amounts = new Map<string, number>();
      for (const { event_id, amount_microcents } of adjustments) {
        amounts.set(event_id, (amounts.get(event_id) ?? 0) + amount_microcents);
      }
      const before = await adjustedUpTo(transaction, this.database.engine, cursors.adjustments, [
        ...amounts.keys(),
      ]);
      const changes: Change[] = this.ledger
        .readFrom(cursors.events, () => this.ledger.summariesByIds([...amounts.keys()]))
        .filter(({ seq }) => seq <= cursors.events.seq)
        .map(event => ({
          kind: "cost",
          event: storableEvent(event),
          costMicrocents: amounts.get(event.id) ?? 0,
          unpricedCalls: isUnpriced(event) && !before.has(event.id) ? -1 : 0,
        }));
      await writeDerived(transaction, this.database.engine, this.#ids, "cost", changes);
      await movePosition(transaction, ADJUSTMENTS_CURSOR, { seq: last.id, eventId: null });
      return true;
    });
  }

  /** Before anything else is derived: what comes later counts unpriced calls itself. */
  async #countOlderUnpriced(): Promise<boolean> {
    if (this.#countsUnpriced) return false;
    const left = await this.#transact((transaction, cursors) =>
      countOlderUnpriced(transaction, this.database.engine, this.ledger, this.#ids, {
        events: cursors.events.seq,
        adjustments: cursors.adjustments,
      }),
    );
    this.#countsUnpriced = !left;
    return left;
  }

  async #registerAgents(): Promise<void> {
    const agents = this.ledger.agentsVersion();
    if (agents === this.#registeredAgents) return;
    await this.#transact(transaction => this.#ids.registerAgents(transaction));
    this.#registeredAgents = agents;
  }

  /** The cursors are read, and on PostgreSQL locked, inside: two followers at once would take turns. */
  async #transact<Result>(
    work: (transaction: Transaction<ControlSchema>, cursors: Cursors) => Promise<Result>,
  ): Promise<Result> {
    try {
      const { result, cursors } = await withoutSync(this.database, db =>
        db.transaction().execute(async transaction => {
          const before = await this.#readCursors(transaction);
          // Somebody else has moved it, perhaps back: agents may have got other ids.
          if (this.#cursors !== null && !isSamePosition(before.events, this.#cursors.events))
            this.#forgetAgents();
          const result = await work(transaction, before);
          return { result, cursors: await this.#readCursors(transaction) };
        }),
      );
      this.#cursors = cursors;
      this.#committedSeq = cursors.events.seq;
      return result;
    } catch (fault) {
      this.#forget();
      throw fault;
    }
  }

  #forget(): void {
    this.#cursors = null;
    this.#forgetAgents();
  }

  #forgetAgents(): void {
    this.#registeredAgents = null;
    this.#ids.forget();
  }

  async #readCursors(transaction: Transaction<ControlSchema>): Promise<Cursors> {
    const read = (name: string) => lockPosition(transaction, this.database.engine, name);
    const adjustments = await read(ADJUSTMENTS_CURSOR);
    const events = await read(EVENTS_CURSOR);
    if (adjustments !== null && events !== null) return { events, adjustments: adjustments.seq };
    await beginPosition(transaction, ADJUSTMENTS_CURSOR, LEDGER_START);
    await beginPosition(transaction, EVENTS_CURSOR, LEDGER_START);
    return this.#readCursors(transaction);
  }
}

function nextTurn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}
