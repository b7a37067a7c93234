import type { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import type { Spend } from "@tollgate/core/budgets/account";
import type { Budget } from "@tollgate/core/budgets/budget";
import type { PeriodSpan } from "@tollgate/core/budgets/period";
import type { Event, Mode } from "@tollgate/core/event";
import { DatabaseFile, saveLostDatabase } from "../engine/database-file.ts";
import { type Durability, emptyLog, migrate, openForWriting } from "../engine/sqlite.ts";
import { type BudgetSource, BudgetSpend } from "./budget-spend.ts";
import { DiskFull } from "./disk-full.ts";
import { EventRemoval, type LedgerBeginning, type Removed } from "./event-removal.ts";
import { type EventFinder, findEvents } from "./find-events.ts";
import { FreeSpace } from "./free-space.ts";
import { GroupCommit } from "./group-commit.ts";
import type { Intent } from "./intent.ts";
import { IntentJournal, isDamaged, journalPath, readIntents, readSlots } from "./intent-journal.ts";
import { ledgerMigrations } from "./migrations.ts";
import { MonthlyCalls } from "./monthly-calls.ts";
import { NewEvents } from "./new-events.ts";
import {
  type RecentAnswer,
  type RecentCall,
  type RecentPace,
  readRecentAnswers,
  readRecentCalls,
  readRecentPaces,
} from "./recent-events.ts";
import { type RefusalBatch, RefusalStore } from "./refusal-store.ts";
import { type NewAgent, RegisteredAgents } from "./registered-agents.ts";
import { type Settlement, Settling, type SettlingSteps, type StoredRateCard } from "./settling.ts";

/** A span linked to an existing event, with the event id it would otherwise have had. */
export interface LinkedSpan {
  readonly spanEventId: string;
  readonly eventId: string;
  readonly instrumentation: string;
}

/** Callbacks of the ledger. */
interface LedgerOptions {
  /** Which budgets an event counts toward; absent: none. */
  readonly budgets?: BudgetSource;
  /** Called when an event without an intent is on disk: it counts from now on, but nothing was reserved for it. */
  readonly appended?: (event: Event) => void;
}

/** `ledger.db` was removed or replaced: writes would be lost. */
export class LedgerLost extends Error {
  constructor() {
    super("the ledger's file was removed or replaced");
    this.name = "LedgerLost";
  }
}

/** The result of the last write. */
interface ClosedLedger {
  /** Where the events were saved if their file was lost; null: the file is in place. */
  readonly savedTo: string | null;
  /** Why the file could not be saved or checkpointed; committed events are still in the write-ahead log. */
  readonly fault: unknown;
}

/**
 * The writer of `ledger.db`. A call is journalled before the provider gets it and settled before the client reads the
 * last byte; in between its intent is open, so a crash at any moment leaves exactly one event.
 */
export class Ledger {
  readonly #database: Database;
  readonly #intents: IntentJournal;
  readonly #freeSpace: FreeSpace;
  readonly #group: GroupCommit;
  readonly #budgetSpend: BudgetSpend;
  readonly #refusals: RefusalStore;
  readonly #removal: EventRemoval;
  readonly #statements;
  readonly #knownCards = new Set<string>();
  /** Ingestion's lookups before it adds events. */
  readonly find: EventFinder;
  /** The ledger had events, but no whole journal: calls in flight when it was last open are unknown, and have no event. */
  readonly lostIntents: "missing" | "damaged" | null;
  /** While the file is lost, no call is journalled. The process that runs the ledger watches it. */
  readonly file: DatabaseFile;
  readonly #agents: RegisteredAgents;
  readonly #monthlyCalls: MonthlyCalls;
  readonly #newEvents: NewEvents;
  readonly #settling: SettlingSteps = {
    append: ({ event, cards }) => this.#append(event, cards),
    written: ({ event, cards }) => {
      this.#intents.settled(event.id);
      for (const card of cards) this.#knownCards.add(card.version);
    },
    postponed: (settlement, fault) => {
      this.#unsettled.push(settlement);
      this.onFault(fault);
    },
  };
  /** Events that could not be written yet (a full disk). Their intents are on disk, so a crash loses none. */
  #unsettled: Settlement[] = [];

  constructor(
    private readonly path: string,
    private readonly durability: Durability,
    private readonly onFault: (fault: unknown) => void = () => {},
    private readonly options: LedgerOptions = {},
  ) {
    this.#database = openForWriting(path, durability);
    migrate(this.#database, ledgerMigrations);
    this.file = new DatabaseFile(path);
    this.#budgetSpend = new BudgetSpend(this.#database, options.budgets ?? null);
    this.#refusals = new RefusalStore(this.#database);
    this.#removal = new EventRemoval(this.#database);
    this.#agents = new RegisteredAgents(this.#database);
    this.#monthlyCalls = new MonthlyCalls(this.#database);
    this.#newEvents = new NewEvents(this.#database);
    this.lostIntents =
      this.#database.query("SELECT 1 FROM events LIMIT 1").get() === null ? null : lossIn(path);
    this.#intents = new IntentJournal(path);
    this.#freeSpace = new FreeSpace(path);
    this.#group = new GroupCommit(
      this.#database,
      () => {
        this.#monthlyCalls.begin();
        this.#newEvents.begin();
        this.#budgetSpend.begin();
      },
      () => {
        this.#budgetSpend.write();
        this.#newEvents.write();
        this.#monthlyCalls.write();
        if (durability === "full") this.#intents.sync();
      },
    );
    const database = this.#database;
    this.find = findEvents(database);
    this.#statements = {
      addCard: database.query("INSERT OR IGNORE INTO rate_cards (version, card) VALUES (?, ?)"),
      addLink: database.query(
        "INSERT INTO linked_spans (event_id, instrumentation, span_event_id) VALUES (?, ?, ?)",
      ),
    };
  }

  /**
   * The intent, and the agent if it is new, are on disk when this returns or when the returned promise resolves: an
   * ordinary call does not wait for a turn of the event loop. If this fails, do not send the call.
   */
  journal(intent: Intent, newAgent: NewAgent | null): Promise<void> | undefined {
    this.#requireWritable();
    if (newAgent === null && this.durability === "normal") {
      this.#intents.append(intent);
      return undefined;
    }
    return this.#journalInTurn(intent, newAgent);
  }

  /** Agent first: an intent on disk means that the call was sent, so only the disk may fail after it. */
  async #journalInTurn(intent: Intent, newAgent: NewAgent | null): Promise<void> {
    if (newAgent) await this.#group.write(() => this.#agents.add(newAgent));
    this.#intents.append(intent);
    if (this.durability === "normal") return;
    try {
      await this.#group.write(() => {});
    } catch (fault) {
      // The call is not sent, so the next start must not find its intent.
      this.#intents.settled(intent.id);
      throw fault;
    }
  }

  /**
   * Resolves, after `settled`, once the event is on disk. If it cannot be written it is kept and retried with every
   * later settlement: the provider has been paid, so the answer goes out and the fact must not be lost.
   */
  settle(settlement: Settlement, settled: () => void = () => {}): Promise<Event> {
    if (this.#unsettled.length > 0) this.retryUnsettled();
    return new Promise(resolve =>
      this.#group.enqueue(new Settling(this.#settling, settlement, settled, resolve)),
    );
  }

  /** Adds events without an intent (ingestion, recovery). They count in every sum, including budgets. */
  append(
    settlements: readonly Settlement[],
    newAgents: readonly NewAgent[] = [],
    linkedSpans: readonly LinkedSpan[] = [],
  ): Promise<void> {
    const { appended } = this.options;
    return new Promise((resolve, reject) =>
      this.#group.enqueue({
        apply: () => {
          for (const agent of newAgents) this.#agents.add(agent);
          for (const { event, cards } of settlements) this.#append(event, cards);
          for (const link of linkedSpans) {
            this.#statements.addLink.run(link.eventId, link.instrumentation, link.spanEventId);
          }
        },
        // In the same turn as the commit: a later reader of the sums must not add the events again.
        done: () => {
          if (appended) for (const { event } of settlements) appended(event);
          resolve();
        },
        failed: reject,
      }),
    );
  }

  /** A budget's spend in a period, including everything settled so far. */
  budgetSpend(budget: Budget, span: PeriodSpan): Spend {
    this.#group.flush();
    return this.#budgetSpend.spentIn(
      budget,
      span,
      this.#unsettled.map(({ event }) => event),
    );
  }

  /** False: no event counts toward the budget, or it was made so recently that the ledger has to be searched for them. */
  hasBudgetSpend(budget: Budget): boolean {
    return this.#budgetSpend.isCounted(budget);
  }

  /** Adds calls made elsewhere, with their agents and links, atomically. */
  async ingest(
    settlements: readonly Settlement[],
    newAgents: readonly NewAgent[],
    linkedSpans: readonly LinkedSpan[],
  ): Promise<void> {
    this.#requireWritable();
    await this.append(settlements, newAgents, linkedSpans);
  }

  /** Calls that were never sent: no events, and not worth the last space of a disk. */
  async recordRefusals(batch: RefusalBatch, nowMs: number): Promise<void> {
    this.#requireWritable();
    await this.#group.write(() => this.#refusals.add(batch, nowMs));
  }

  /**
   * Removes some of the events before `beginning`, the oldest first, and releases some of the space. Resolves with their
   * number, and whether there is more to do.
   */
  async removeOldest(
    beginning: LedgerBeginning,
    atMost: number,
  ): Promise<{ readonly events: number; readonly isMore: boolean }> {
    if (this.file.isLost) throw new LedgerLost();
    const seq = this.#removal.next(beginning, atMost);
    let events = 0;
    if (seq !== null) {
      await this.#group.write(() => {
        events = this.#removal.removeBefore(seq, beginning.atMs);
      });
    }
    const hasSpace = this.#removal.releaseSpace();
    return { events, isMore: seq !== null || hasSpace };
  }

  /** An empty ledger begins as if it had had the removed events: the copy of one that has lost its beginning. */
  async beginAfter(removed: Removed): Promise<void> {
    await this.#group.write(() => this.#removal.beginAfter(removed));
  }

  /** Rejects if nothing can be written now. */
  async testWrite(): Promise<void> {
    this.#requireWritable();
    // Writes a page although the value stays the same; an UPDATE that changes nothing would not.
    await this.#group.write(() => this.#database.run(`PRAGMA user_version = ${ledgerMigrations.length}`));
  }

  /** Writes events that could not be written before, if it is possible now. */
  retryUnsettled(): void {
    const waiting = this.#unsettled;
    this.#unsettled = [];
    for (const settlement of waiting) {
      this.#group.enqueue(new Settling(this.#settling, settlement));
    }
  }

  get isDiskFull(): boolean {
    return this.#freeSpace.isLow;
  }

  /** Calls that were sent and never settled, oldest first. Read before the first call is accepted. */
  openIntents(): Intent[] {
    const hasEvent = this.#database.query("SELECT 1 FROM events WHERE id = ?");
    return readIntents(this.path).filter(({ id }) => hasEvent.get(id) === null);
  }

  /** Every intent has its event: empties the journal. */
  forgetIntents(): void {
    this.#intents.clear();
  }

  agentsOf(orgId: string, mode: Mode, atMost: number): string[] {
    return this.#agents.of(orgId, mode, atMost);
  }

  hasAgent(orgId: string, mode: Mode, agentKey: string): boolean {
    return this.#agents.has(orgId, mode, agentKey);
  }

  monthlyCalls(orgId: string, month: string): number {
    return this.#monthlyCalls.of(orgId, month);
  }

  /** Admission times since `since`, oldest first, so that a restart forgets no call of the last minute. */
  recentCalls(since: number): RecentCall[] {
    return readRecentCalls(this.#database, since);
  }

  /** Output lengths of an organization's calls among the newest events, oldest first. */
  recentAnswers(orgId: string, mode: Mode): RecentAnswer[] {
    return readRecentAnswers(this.#database, orgId, mode);
  }

  recentPaces(): RecentPace[] {
    return readRecentPaces(this.#database);
  }

  /** Events that cannot be written at the moment. */
  countUnsettled(): number {
    // Those being retried count as well, if they fail again.
    this.#group.flush();
    return this.#unsettled.length;
  }

  close(): ClosedLedger {
    this.#group.flush();
    if (this.#unsettled.length > 0) this.retryUnsettled();
    this.#group.flush();
    this.#intents.close();
    try {
      const saved = saveLostDatabase(this.#database, this.file);
      if (saved === null) emptyLog(this.#database);
      return { savedTo: saved, fault: null };
    } catch (fault) {
      return { savedTo: null, fault };
    } finally {
      this.#database.close();
    }
  }

  /** Settlements are exempt: the provider has been paid, so their events are kept until they can be written. */
  #requireWritable(): void {
    if (this.file.isLost) throw new LedgerLost();
    if (this.#freeSpace.isLow) throw new DiskFull();
  }

  #append(event: Event, cards: readonly StoredRateCard[]): void {
    for (const card of cards) {
      if (!this.#knownCards.has(card.version)) this.#statements.addCard.run(card.version, card.card);
    }
    this.#newEvents.add(event);
    this.#monthlyCalls.add(event);
    this.#budgetSpend.add(event);
  }
}

function lossIn(ledgerPath: string): "missing" | "damaged" | null {
  if (!existsSync(journalPath(ledgerPath))) return "missing";
  return isDamaged(readSlots(ledgerPath)) ? "damaged" : null;
}
