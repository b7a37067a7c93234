import type { Database } from "bun:sqlite";
import type { Spend } from "@tollgate/core/budgets/account";
import type { Budget } from "@tollgate/core/budgets/budget";
import type { PeriodSpan } from "@tollgate/core/budgets/period";
import type { Event, Mode } from "@tollgate/core/event";
import { monthOf } from "@tollgate/core/time/month";
import { DatabaseFile, saveLostDatabase } from "../engine/database-file.ts";
import { type Durability, emptyLog, migrate, openForWriting } from "../engine/sqlite.ts";
import { type BudgetSource, BudgetSpend } from "./budget-spend.ts";
import { eventColumns, pushRow } from "./event-row.ts";
import { type EventFinder, findEvents } from "./find-events.ts";
import { FreeSpace } from "./free-space.ts";
import { GroupCommit } from "./group-commit.ts";
import type { Intent } from "./intent.ts";
import { IntentJournal, readIntents } from "./intent-journal.ts";
import { ledgerMigrations } from "./migrations.ts";
import {
  type RecentAnswer,
  type RecentCall,
  type RecentPace,
  readRecentAnswers,
  readRecentCalls,
  readRecentPaces,
} from "./recent-events.ts";
import { type Settlement, Settling, type SettlingSteps, type StoredRateCard } from "./settling.ts";

export interface NewAgent {
  readonly id: string;
  readonly org_id: string;
  readonly mode: Mode;
  readonly agent_key: string;
  readonly first_seen_at: number;
}

/** A span that tells of a call which has its event: by the id that an event of its own would have had. */
export interface LinkedSpan {
  readonly spanEventId: string;
  readonly eventId: string;
  readonly instrumentation: string;
}

/** Who else must know of an event. */
export interface LedgerOptions {
  /** Which budgets an event counts toward; without it none. */
  readonly budgets?: BudgetSource;
  /** An event that no intent stands for is on disk: it counts from now on, but nobody has held a place for it. */
  readonly appended?: (event: Event) => void;
}

/** `ledger.db` was removed or replaced: what is written now would not be found again. */
export class LedgerLost extends Error {
  constructor() {
    super("the ledger's file was removed or replaced");
    this.name = "LedgerLost";
  }
}

/** So many rows a statement: the way into the database and back is half of an insert. */
const ROWS_AT_ONCE = [32, 16, 8, 4, 2, 1] as const;

function insertEvents(rows: number): string {
  const row = `(${eventColumns.map(() => "?").join(", ")})`;
  return `INSERT INTO events (${eventColumns.join(", ")}) VALUES ${new Array(rows).fill(row).join(", ")}`;
}

/** How the last write went. */
export interface ClosedLedger {
  /** Where the events were saved because their file is lost; null while it is there. */
  readonly savedTo: string | null;
  /** Why the file could not be saved or checkpointed; committed events are still in the write-ahead log. */
  readonly fault: unknown;
}

/**
 * The writer of `ledger.db`. A call is journalled before the provider hears of it and settled before the client
 * reads the last byte; between the two the intent stands, so that a crash at any moment leaves exactly one event.
 */
export class Ledger {
  readonly #database: Database;
  readonly #intents: IntentJournal;
  readonly #freeSpace: FreeSpace;
  readonly #group: GroupCommit;
  readonly #budgetSpend: BudgetSpend;
  readonly #statements;
  readonly #knownCards = new Set<string>();
  /** What ingestion asks before it adds. */
  readonly find: EventFinder;
  /** While it is lost no call is journalled. Whoever runs the ledger looks at it. */
  readonly file: DatabaseFile;
  /** Live calls of the group that is being written, by organization and month: one statement a group, not a call. */
  readonly #newCalls = new Map<string, { orgId: string; month: string; calls: number }>();
  /** Events of the group that is being written, as values to bind. */
  #newRows: (string | number | null)[] = [];
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
    this.#intents = new IntentJournal(path);
    this.#freeSpace = new FreeSpace(path);
    this.#group = new GroupCommit(
      this.#database,
      () => {
        this.#newCalls.clear();
        this.#newRows = [];
        this.#budgetSpend.begin();
      },
      () => {
        this.#budgetSpend.write();
        this.#addNewRows();
        this.#countNewCalls();
        if (durability === "full") this.#intents.sync();
      },
    );
    const database = this.#database;
    this.find = findEvents(database);
    this.#statements = {
      addEvents: ROWS_AT_ONCE.map(rows => ({
        values: rows * eventColumns.length,
        statement: database.query(insertEvents(rows)),
      })),
      addCard: database.query("INSERT OR IGNORE INTO rate_cards (version, card) VALUES (?, ?)"),
      addAgent: database.query(
        "INSERT OR IGNORE INTO agents (org_id, mode, agent_key, id, first_seen_at) VALUES (?, ?, ?, ?, ?)",
      ),
      addLink: database.query(
        "INSERT INTO linked_spans (event_id, instrumentation, span_event_id) VALUES (?, ?, ?)",
      ),
      countCalls: database.query(
        "INSERT INTO monthly_calls (org_id, month, calls) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET calls = calls + excluded.calls",
      ),
    };
  }

  /**
   * The intent, and the agent if it is new, are on disk when this returns, or when the promise that it returns
   * resolves: an ordinary call need not wait for a turn of the event loop. If it fails, do not send.
   */
  journal(intent: Intent, newAgent: NewAgent | null): Promise<void> | undefined {
    if (this.file.isLost) throw new LedgerLost();
    if (this.#freeSpace.isLow) throw new Error("the disk is full");
    if (newAgent === null && this.durability === "normal") {
      this.#intents.append(intent);
      return undefined;
    }
    return this.#journalInTurn(intent, newAgent);
  }

  /** The agent comes first: an intent on disk is a call that was sent, so nothing may fail after it but the disk. */
  async #journalInTurn(intent: Intent, newAgent: NewAgent | null): Promise<void> {
    if (newAgent) await this.#group.write(() => this.#addAgent(newAgent));
    this.#intents.append(intent);
    if (this.durability === "normal") return;
    try {
      await this.#group.write(() => {});
    } catch (fault) {
      // The call is not sent, so it must not look as if it had been when we start again.
      this.#intents.settled(intent.id);
      throw fault;
    }
  }

  /**
   * Resolves, after `settled`, once the event is on disk. If it cannot be written it is kept and tried again with every later
   * settlement: the provider has been paid, so the answer goes out and the fact must not be lost.
   */
  settle(settlement: Settlement, settled: () => void = () => {}): Promise<Event> {
    if (this.#unsettled.length > 0) this.#retryUnsettled();
    return new Promise(resolve =>
      this.#group.enqueue(new Settling(this.#settling, settlement, settled, resolve)),
    );
  }

  /** Adds events that no intent stands for (ingestion, recovery). They count in every sum, budgets too. */
  append(
    settlements: readonly Settlement[],
    newAgents: readonly NewAgent[] = [],
    linkedSpans: readonly LinkedSpan[] = [],
  ): Promise<void> {
    const { appended } = this.options;
    return new Promise((resolve, reject) =>
      this.#group.enqueue({
        apply: () => {
          for (const agent of newAgents) this.#addAgent(agent);
          for (const { event, cards } of settlements) this.#append(event, cards);
          for (const link of linkedSpans) {
            this.#statements.addLink.run(link.eventId, link.instrumentation, link.spanEventId);
          }
        },
        // In the turn of the commit: whoever reads the sums afterwards must not add the events a second time.
        done: () => {
          if (appended) for (const { event } of settlements) appended(event);
          resolve();
        },
        failed: reject,
      }),
    );
  }

  /** What was spent of a budget in a period, everything included that was settled up to now. */
  budgetSpend(budget: Budget, span: PeriodSpan): Spend {
    this.#group.flush();
    return this.#budgetSpend.spentIn(
      budget,
      span,
      this.#unsettled.map(({ event }) => event),
    );
  }

  /** Adds calls that were made elsewhere, and the agents and links that came with them: all of them, or none. */
  ingest(
    settlements: readonly Settlement[],
    newAgents: readonly NewAgent[],
    linkedSpans: readonly LinkedSpan[],
  ): Promise<void> {
    if (this.file.isLost) return Promise.reject(new LedgerLost());
    if (this.#freeSpace.isLow) return Promise.reject(new Error("the disk is full"));
    return this.append(settlements, newAgents, linkedSpans);
  }

  /** Calls that were sent and never settled, oldest first. Asked before the first call is taken. */
  openIntents(): Intent[] {
    const hasEvent = this.#database.query("SELECT 1 FROM events WHERE id = ?");
    return readIntents(this.path).filter(({ id }) => hasEvent.get(id) === null);
  }

  /** Every intent has its event: the journal starts empty. */
  forgetIntents(): void {
    this.#intents.clear();
  }

  agentsOf(orgId: string, mode: Mode, atMost: number): string[] {
    return this.#database
      .query<{ agent_key: string }, [string, string, number]>(
        "SELECT agent_key FROM agents WHERE org_id = ? AND mode = ? ORDER BY first_seen_at LIMIT ?",
      )
      .all(orgId, mode, atMost)
      .map(row => row.agent_key);
  }

  hasAgent(orgId: string, mode: Mode, agentKey: string): boolean {
    const row = this.#database
      .query<{ found: number }, [string, string, string]>(
        "SELECT 1 AS found FROM agents WHERE org_id = ? AND mode = ? AND agent_key = ?",
      )
      .get(orgId, mode, agentKey);
    return row !== null;
  }

  monthlyCalls(orgId: string, month: string): number {
    const row = this.#database
      .query<{ calls: number }, [string, string]>(
        "SELECT calls FROM monthly_calls WHERE org_id = ? AND month = ?",
      )
      .get(orgId, month);
    return row?.calls ?? 0;
  }

  /** Admission times since `since`, oldest first, so that a restart forgets no call of the last minute. */
  recentCalls(since: number): RecentCall[] {
    return readRecentCalls(this.#database, since);
  }

  /** How long the answers of an organization's calls were, among the newest events; oldest first. */
  recentAnswers(orgId: string, mode: Mode): RecentAnswer[] {
    return readRecentAnswers(this.#database, orgId, mode);
  }

  recentPaces(): RecentPace[] {
    return readRecentPaces(this.#database);
  }

  get unsettled(): number {
    return this.#unsettled.length;
  }

  close(): ClosedLedger {
    this.#group.flush();
    if (this.#unsettled.length > 0) this.#retryUnsettled();
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

  #append(event: Event, cards: readonly StoredRateCard[]): void {
    for (const card of cards) {
      if (!this.#knownCards.has(card.version)) this.#statements.addCard.run(card.version, card.card);
    }
    pushRow(event, this.#newRows);
    if (event.mode === "live") this.#count(event.org_id, monthOf(event.created_at));
    this.#budgetSpend.add(event);
  }

  #addNewRows(): void {
    const values = this.#newRows;
    let from = 0;
    for (const { values: many, statement } of this.#statements.addEvents) {
      for (; from + many <= values.length; from += many) statement.run(...values.slice(from, from + many));
    }
  }

  #count(orgId: string, month: string): void {
    const key = orgId + month;
    const known = this.#newCalls.get(key);
    if (known) known.calls++;
    else this.#newCalls.set(key, { orgId, month, calls: 1 });
  }

  #countNewCalls(): void {
    for (const { orgId, month, calls } of this.#newCalls.values()) {
      this.#statements.countCalls.run(orgId, month, calls);
    }
  }

  #addAgent(agent: NewAgent): void {
    this.#statements.addAgent.run(agent.org_id, agent.mode, agent.agent_key, agent.id, agent.first_seen_at);
  }

  #retryUnsettled(): void {
    const waiting = this.#unsettled;
    this.#unsettled = [];
    for (const settlement of waiting) {
      this.#group.enqueue(new Settling(this.#settling, settlement));
    }
  }
}
