import { sql } from "kysely";
import { adjustedUpTo } from "../../database/adjusted-up-to.ts";
import { isInKeptSums, readHistory } from "../../database/history.ts";
import type { ControlDatabase } from "../../database/open-control-database.ts";
import type { ControlTransaction } from "../../database/schema.ts";
import { mapInTurns, nextTurn } from "../../engine/next-turn.ts";
import type { Pulse, Version } from "../../engine/pulse.ts";
import type { Applied, Batch, Consumer } from "../../following/consumer.ts";
import { Follower, type FollowerOptions } from "../../following/follower.ts";
import { StoredCursor } from "../../following/stored-cursor.ts";
import { beginPosition, movePosition, readSeq } from "../../following/stored-position.ts";
import type { CountedEvent } from "../../ledger/event-parts.ts";
import { LEDGER_START, type LedgerPosition } from "../../ledger/ledger-position.ts";
import type { LedgerReader } from "../../ledger/ledger-reader.ts";
import { sourceCodes } from "../../ledger/source-codes.ts";
import { storableEvent } from "../../ledger/storable-name.ts";
import { isUnpriced } from "../is-unpriced.ts";
import { completeOlderFacts } from "./complete-older-facts.ts";
import { countOlderUnpriced } from "./count-older-unpriced.ts";
import { costSplitter } from "./event-cost-kinds.ts";
import { KnownIds } from "./known-ids.ts";
import { type ListingOptions, listFacts } from "./list-facts.ts";
import { ADJUSTMENTS_CURSOR, EVENTS_CURSOR, readModelRepair } from "./read-model-repair.ts";
import { refillSums } from "./refill-sums.ts";
import { type Change, writeReadModel } from "./write-read-model.ts";

export type ReadModelFollower = Follower<readonly CountedEvent[], ControlTransaction>;

const BATCH_SIZE = 1000;
const LARGEST_BATCH = 64_000;
/** More segments than a batch can have. */
const LISTED_AT_ONCE = 8;

interface ReadModelOptions extends FollowerOptions {
  readonly batchSize?: number;
  readonly listing?: ListingOptions;
}

export function followReadModel(
  database: ControlDatabase,
  ledger: LedgerReader,
  options: ReadModelOptions = {},
): ReadModelFollower {
  const cursor = new StoredCursor(database, EVENTS_CURSOR, async () => LEDGER_START);
  return new Follower(ledger, cursor, new ReadModelConsumer(database, ledger, cursor, options), options);
}

/**
 * Builds the read model from the ledger. Adjustments have their own cursor, which only moves while the cursor of the
 * events is locked; an adjustment that arrives before its event is added together with the event.
 */
class ReadModelConsumer implements Consumer<readonly CountedEvent[], ControlTransaction> {
  readonly repair = readModelRepair;
  readonly pollMs = 20;
  readonly batchSize: number;
  readonly largestBatch: number;
  /** Adjustments are made by people, not calls, so they are polled less often. */
  readonly upkeepEveryMs = 200;
  readonly upkeepOn: Pulse | null;
  readonly #ids: KnownIds;
  readonly #splitCost: ReturnType<typeof costSplitter>;
  /** The version of the database in which all adjustments were applied. */
  #adjustedVersion: Version | null = null;
  #registeredAgents: string | null = null;
  #areSumsFilled = false;
  #countsUnpriced = false;
  #areFactsComplete = false;
  readonly #listing: ListingOptions | undefined;
  #derivedSeq = 0;
  /** The end of the next segment, which is listed once it is derived; null: unknown. */
  #nextEndSeq: number | null = null;

  constructor(
    private readonly database: ControlDatabase,
    private readonly ledger: LedgerReader,
    private readonly cursor: StoredCursor,
    { batchSize, listing }: ReadModelOptions,
  ) {
    this.upkeepOn = database.pulse;
    this.batchSize = batchSize ?? BATCH_SIZE;
    this.largestBatch = batchSize ?? LARGEST_BATCH;
    this.#listing = listing;
    this.#ids = new KnownIds(database.engine, ledger);
    this.#splitCost = costSplitter(ledger);
  }

  read(after: number, upTo: number): CountedEvent[] {
    return this.ledger.countedBetween(after, upTo);
  }

  async apply(batch: Batch<readonly CountedEvent[]>, transaction: ControlTransaction): Promise<Applied> {
    const { engine } = this.database;
    const history = await readHistory(transaction);
    const events = batch.events.filter(event => !isInKeptSums(history, event));
    // After the events: an agent that registered again, with another id, is renamed before its events are added.
    const agents = this.ledger.agentsVersion();
    if (agents !== this.#registeredAgents) {
      await this.#ids.registerAgents(transaction);
      this.#registeredAgents = agents;
    }
    const ids = events.map(({ id }) => id);
    const adjustments = await readSeq(transaction, ADJUSTMENTS_CURSOR);
    const adjusted = await adjustedUpTo(transaction, engine, adjustments, ids);
    const changes = await mapInTurns(events, event => ({
      kind: "event" as const,
      event: storableEvent(event),
      costMicrocents: event.cost_microcents + (adjusted.get(event.id) ?? 0),
      costByKind: this.#splitCost(event, adjusted.get(event.id)),
      unpricedCalls: isUnpriced(event) && !adjusted.has(event.id) ? 1 : 0,
      sourceCode: sourceCodes[event.source],
    }));
    await writeReadModel(transaction, engine, this.#ids, "event", changes);
    return { afterCommit: () => (this.#derivedSeq = batch.to.seq) };
  }

  /** Before any event is added, because new events count unpriced calls themselves. */
  async prepare(_at: LedgerPosition, signal: AbortSignal | undefined): Promise<boolean> {
    await beginPosition(this.database.db, ADJUSTMENTS_CURSOR, LEDGER_START);
    while (!this.#countsUnpriced) {
      if (signal?.aborted === true) return false;
      const isLeft = await this.cursor.hold(async (transaction, { seq }) =>
        countOlderUnpriced(transaction, this.database.engine, this.ledger, this.#ids, {
          events: seq,
          adjustments: await readSeq(transaction, ADJUSTMENTS_CURSOR),
        }),
      );
      this.#countsUnpriced = isLeft === false;
      await nextTurn();
    }
    return true;
  }

  async upkeep(): Promise<boolean> {
    const agents = this.ledger.agentsVersion();
    if (agents !== this.#registeredAgents) {
      const isHeld = await this.cursor.hold(async transaction => {
        await this.#ids.registerAgents(transaction);
        return true;
      });
      if (isHeld === null) return this.#again();
      this.#registeredAgents = agents;
    }
    return (
      (await this.#applyNewAdjustments()) ||
      (await this.#listFacts()) ||
      (await this.#completeFacts()) ||
      (await this.#refillSums())
    );
  }

  async #listFacts(): Promise<boolean> {
    // Several at a time: a large batch has several segments, and until they are listed, searches read all their facts.
    for (let segments = 0; segments < LISTED_AT_ONCE; segments++) {
      if (this.#nextEndSeq !== null && this.#derivedSeq < this.#nextEndSeq) return false;
      const listed = await this.cursor.hold((transaction, { seq }) =>
        listFacts(transaction, this.database.engine, seq, this.#listing),
      );
      if (listed === null) return this.#again();
      // After a start, no batch has told it yet.
      this.#derivedSeq = listed.derivedSeq;
      this.#nextEndSeq = listed.nextEndSeq;
    }
    return true;
  }

  async #refillSums(): Promise<boolean> {
    if (this.#areSumsFilled) return false;
    const isMore = await this.cursor.hold(transaction => refillSums(transaction));
    if (isMore === null) return this.#again();
    this.#areSumsFilled = !isMore;
    return isMore;
  }

  async #completeFacts(): Promise<boolean> {
    if (this.#areFactsComplete) return false;
    const isMore = await this.cursor.hold(async (transaction, { seq }) =>
      completeOlderFacts(transaction, this.database.engine, this.ledger, this.#ids, this.#splitCost, {
        events: seq,
        adjustments: await readSeq(transaction, ADJUSTMENTS_CURSOR),
      }),
    );
    if (isMore === null) return this.#again();
    this.#areFactsComplete = !isMore;
    return isMore;
  }

  forget(): void {
    this.#nextEndSeq = null;
    this.#registeredAgents = null;
    this.#ids.forget();
  }

  /** Another process has moved the cursor, perhaps back, so agents may have other ids now. */
  #again(): true {
    this.forget();
    return true;
  }

  async #applyNewAdjustments(): Promise<boolean> {
    const version = this.database.version();
    if (version !== null && version === this.#adjustedVersion) return false;
    const isMore = await this.#applyAdjustments();
    this.#adjustedVersion = isMore ? null : version;
    return isMore;
  }

  async #applyAdjustments(): Promise<boolean> {
    const { db } = this.database;
    const newest = await db
      .selectFrom("adjustments")
      .select(({ fn }) => fn.max<number | null>("id").as("id"))
      .executeTakeFirst();
    if ((newest?.id ?? 0) <= (await readSeq(db, ADJUSTMENTS_CURSOR))) return false;
    const isMore = await this.cursor.hold((transaction, at) => this.#adjust(transaction, at));
    return isMore ?? this.#again();
  }

  /** Adds a batch of adjustments. Resolves with whether there was one. */
  async #adjust(transaction: ControlTransaction, at: LedgerPosition): Promise<boolean> {
    const { engine } = this.database;
    // Ids are assigned before the commit: without waiting for open writers, the cursor would move past theirs.
    if (engine === "postgres") await sql`LOCK TABLE adjustments IN SHARE MODE`.execute(transaction);
    const from = await readSeq(transaction, ADJUSTMENTS_CURSOR);
    const adjustments = await transaction
      .selectFrom("adjustments")
      .select(["id", "event_id", "amount_microcents"])
      .where("id", ">", from)
      .orderBy("id")
      .limit(this.batchSize)
      .execute();
    const last = adjustments.at(-1);
    if (last === undefined) return false;
    const amounts = new Map<string, number>();
    for (const { event_id, amount_microcents } of adjustments) {
      amounts.set(event_id, (amounts.get(event_id) ?? 0) + amount_microcents);
    }
    const ids = [...amounts.keys()];
    const before = await adjustedUpTo(transaction, engine, from, ids);
    const { beginsAtMs } = await readHistory(transaction);
    const changes: Change[] = this.ledger
      .readFrom(at, () => this.ledger.summariesByIds(ids))
      .filter(({ seq, created_at }) => seq <= at.seq && created_at >= beginsAtMs)
      .map(event => ({
        kind: "cost",
        event: storableEvent(event),
        costMicrocents: amounts.get(event.id) ?? 0,
        costByKind: { adjustment: amounts.get(event.id) ?? 0 },
        unpricedCalls: isUnpriced(event) && !before.has(event.id) ? -1 : 0,
        sourceCode: 0,
      }));
    await writeReadModel(transaction, engine, this.#ids, "cost", changes);
    await movePosition(transaction, ADJUSTMENTS_CURSOR, { seq: last.id, eventId: null });
    return true;
  }
}
