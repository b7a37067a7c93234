import type { Database } from "bun:sqlite";
import type { Event, Mode } from "@tollgate/core/event";
import { DatabaseFile } from "../engine/database-file.ts";
import { openForReading } from "../engine/sqlite.ts";
import { type EventRow, eventColumns, fromRow } from "./event-row.ts";
import { readIntents } from "./intent-journal.ts";
import { LEDGER_START, LedgerDiverged, type LedgerPosition } from "./ledger-position.ts";

export interface SequencedEvent {
  readonly seq: number;
  readonly event: Event;
}

export interface BudgetSpendRow {
  readonly budget_id: string;
  readonly since: number;
  readonly period: string;
  readonly spent_microcents: number;
  readonly withheld_microcents: number;
}

/** The columns from which totals and lists are derived. */
const summaryColumns = [
  "id",
  "external_id",
  "org_id",
  "mode",
  "created_at",
  "agent_key",
  "session_id",
  "customer_id",
  "config_version",
  "provider",
  "model",
  "status",
  "latency_ms",
  "input_tokens",
  "output_tokens",
  "cost_microcents",
  "cost_basis",
  "source",
] as const;

/** The columns from which the agent profile is derived. */
const profiledColumns = [
  "org_id",
  "mode",
  "created_at",
  "agent_key",
  "session_id",
  "provider",
  "model",
  "status",
  "latency_ms",
  "input_tokens",
  "output_tokens",
  "usage",
  "cost_microcents",
  "request_hash",
  "prefix_hash",
] as const;

/** The columns from which experiment results are derived. */
const experimentColumns = [
  "org_id",
  "mode",
  "agent_key",
  "session_id",
  "status",
  "latency_ms",
  "cost_microcents",
  "cost_basis",
  "experiment_id",
  "arm",
] as const;

/** Some columns of an event as they are stored, and its seq. */
type PartOf<Columns extends readonly (keyof EventRow)[]> = Pick<EventRow, Columns[number]> & {
  readonly seq: number;
};

export type EventSummary = PartOf<typeof summaryColumns>;
export type ProfiledEvent = PartOf<typeof profiledColumns>;
/** The query returns only events of experiments. */
export type ExperimentEvent = PartOf<typeof experimentColumns> & { readonly experiment_id: string };

const selected = (columns: readonly (keyof EventRow)[]) => ["seq", ...columns].join(", ");
const all = selected(eventColumns);
const summary = selected(summaryColumns);

export interface LedgerAgent {
  readonly org_id: string;
  readonly mode: Mode;
  readonly agent_key: string;
  readonly id: string;
  readonly first_seen_at: number;
}

/**
 * Another process's view of the ledger. Every read is one short statement: a transaction held open would stop the
 * writer from reusing its write-ahead log.
 */
export class LedgerReader {
  #database: Database;
  #openings = 1;

  readonly file: DatabaseFile;

  constructor(private readonly path: string) {
    this.#database = openForReading(path);
    this.file = new DatabaseFile(path);
  }

  /** Reopens the file by name. Throws, and keeps the current one, if it is not a ledger yet. */
  reopen(): void {
    const database = openForReading(this.path);
    try {
      database.query("SELECT max(seq) FROM events").get();
    } catch (fault) {
      database.close();
      throw fault;
    }
    const replaced = this.#database;
    this.#database = database;
    this.#openings++;
    this.file.reopened();
    replaced.close();
  }

  /**
   * Reads from a position, in a snapshot in which the ledger still has it. Throws `LedgerDiverged` if it does not:
   * continuing by seq alone would skip, or treat as read, events that were never seen.
   */
  readFrom<Result>(place: LedgerPosition, read: (place: LedgerPosition) => Result): Result {
    return this.#database.transaction(() => read(this.#confirm(place)))();
  }

  /** The same position with its event's id, which an older version did not store. */
  #confirm(place: LedgerPosition): LedgerPosition {
    const found = this.positionAt(place.seq);
    if (found === null || !this.has(place)) throw new LedgerDiverged(place);
    return found;
  }

  has({ seq, eventId }: LedgerPosition): boolean {
    const found = this.positionAt(seq);
    return found !== null && (eventId === null || eventId === found.eventId);
  }

  /** null: the ledger has no event with that seq. */
  positionAt(seq: number): LedgerPosition | null {
    if (seq === 0) return LEDGER_START;
    return this.#database
      .query<LedgerPosition, [number]>("SELECT seq, id AS eventId FROM events WHERE seq = ?")
      .get(seq);
  }

  /** The newest event up to a seq, inclusive. */
  lastPositionUpTo(seq: number): LedgerPosition {
    return (
      this.#database
        .query<LedgerPosition, [number]>(
          "SELECT seq, id AS eventId FROM events WHERE seq <= ? ORDER BY seq DESC LIMIT 1",
        )
        .get(seq) ?? LEDGER_START
    );
  }

  newestPosition(): LedgerPosition {
    return (
      this.#database
        .query<LedgerPosition, []>("SELECT seq, id AS eventId FROM events ORDER BY seq DESC LIMIT 1")
        .get() ?? LEDGER_START
    );
  }

  /** Events after `cursor`, in the order of their commits. */
  after(cursor: number, atMost: number): SequencedEvent[] {
    return this.#database
      .query<SequencedRow, [number, number]>(`SELECT ${all} FROM events WHERE seq > ? ORDER BY seq LIMIT ?`)
      .all(cursor, atMost)
      .map(fromSequencedRow);
  }

  /** As stored, for a reader that needs few of them in full. `upTo` is inclusive. */
  rowsBetween(after: number, upTo: number): SequencedRow[] {
    return this.#database
      .query<SequencedRow, [number, number]>(
        `SELECT ${all} FROM events WHERE seq > ? AND seq <= ? ORDER BY seq`,
      )
      .all(after, upTo);
  }

  summariesBetween(after: number, upTo: number): EventSummary[] {
    return this.#database
      .query<EventSummary, [number, number]>(
        `SELECT ${summary} FROM events WHERE seq > ? AND seq <= ? ORDER BY seq`,
      )
      .all(after, upTo);
  }

  /** One organization's events within a range. No index helps: keep the range small. */
  ofScope(orgId: string, mode: Mode, after: number, upTo: number, atMost: number): SequencedEvent[] {
    return this.#database
      .query<SequencedRow, [number, number, string, string, number]>(
        `SELECT ${all} FROM events WHERE seq > ? AND seq <= ? AND org_id = ? AND mode = ? ORDER BY seq LIMIT ?`,
      )
      .all(after, upTo, orgId, mode, atMost)
      .map(fromSequencedRow);
  }

  countOfScope(orgId: string, mode: Mode, after: number, upTo: number): number {
    return (
      this.#database
        .query<{ events: number }, [number, number, string, string]>(
          "SELECT count(*) AS events FROM events WHERE seq > ? AND seq <= ? AND org_id = ? AND mode = ?",
        )
        .get(after, upTo, orgId, mode)?.events ?? 0
    );
  }

  /** The same events, with only the summary columns. */
  summariesAfter(cursor: number, atMost: number): EventSummary[] {
    return this.#database
      .query<EventSummary, [number, number]>(
        `SELECT ${summary} FROM events WHERE seq > ? ORDER BY seq LIMIT ?`,
      )
      .all(cursor, atMost);
  }

  /** Events without a known price; `upTo` is inclusive. No index helps: keep the range small. */
  unpricedWithin(cursor: number, upTo: number): EventSummary[] {
    return this.#database
      .query<EventSummary, [number, number]>(
        `SELECT ${summary} FROM events WHERE seq > ? AND seq <= ? AND cost_basis = 'unpriced' ORDER BY seq`,
      )
      .all(cursor, upTo);
  }

  /** Calls of agents, without those that verifications made. */
  profiledBetween(after: number, upTo: number): ProfiledEvent[] {
    return this.#database
      .query<ProfiledEvent, [number, number]>(
        `SELECT ${selected(profiledColumns)} FROM events WHERE seq > ? AND seq <= ? AND pair IS NULL ORDER BY seq`,
      )
      .all(after, upTo);
  }

  /** Events of experiments. No index helps: keep the range small. */
  experimentEventsBetween(after: number, upTo: number): ExperimentEvent[] {
    return this.#database
      .query<ExperimentEvent, [number, number]>(
        `SELECT ${selected(experimentColumns)} FROM events
          WHERE seq > ? AND seq <= ? AND experiment_id IS NOT NULL ORDER BY seq`,
      )
      .all(after, upTo);
  }

  summariesByIds(ids: readonly string[]): EventSummary[] {
    return this.#database
      .query<EventSummary, [string]>(
        `SELECT ${summary} FROM events WHERE id IN (SELECT value FROM json_each(?))`,
      )
      .all(JSON.stringify(ids));
  }

  /** Unordered; missing seqs are omitted. */
  bySeqs(seqs: readonly number[]): SequencedEvent[] {
    return this.#database
      .query<SequencedRow, [string]>(
        `SELECT ${all} FROM events WHERE seq IN (SELECT value FROM json_each(?))`,
      )
      .all(JSON.stringify(seqs))
      .map(fromSequencedRow);
  }

  byId(id: string): SequencedEvent | null {
    const row = this.#database
      .query<SequencedRow, [string]>(`SELECT ${all} FROM events WHERE id = ?`)
      .get(id);
    return row === null ? null : fromSequencedRow(row);
  }

  /** 0 if there is no event yet. */
  newestSeq(): number {
    return (
      this.#database.query<{ seq: number | null }, []>("SELECT max(seq) AS seq FROM events").get()?.seq ?? 0
    );
  }

  /** Newest first; of one organization, or all. */
  newest(atMost: number, orgId: string | null = null): SequencedEvent[] {
    return this.#database
      .query<SequencedRow, [string | null, number]>(
        `SELECT ${all} FROM events WHERE org_id = coalesce(?, org_id) ORDER BY seq DESC LIMIT ?`,
      )
      .all(orgId, atMost)
      .map(fromSequencedRow);
  }

  modeOf(eventId: string): Mode | null {
    return (
      this.#database.query<{ mode: Mode }, [string]>("SELECT mode FROM events WHERE id = ?").get(eventId)
        ?.mode ?? null
    );
  }

  rateCard(version: string): string | null {
    return (
      this.#database
        .query<{ card: string }, [string]>("SELECT card FROM rate_cards WHERE version = ?")
        .get(version)?.card ?? null
    );
  }

  monthlyCalls(): { org_id: string; month: string; calls: number }[] {
    return this.#database
      .query<{ org_id: string; month: string; calls: number }, []>(
        "SELECT org_id, month, calls FROM monthly_calls ORDER BY org_id, month",
      )
      .all();
  }

  /** Each budget's spend by period, since its creation or last reset. */
  budgetSpends(): BudgetSpendRow[] {
    return this.#database
      .query<BudgetSpendRow, []>(
        "SELECT budget_id, since, period, spent_microcents, withheld_microcents FROM budget_spend ORDER BY budget_id, since, period",
      )
      .all();
  }

  /** The spend of one budget in one period; null: no call has counted toward it. */
  budgetSpend(budgetId: string, since: number, period: string): BudgetSpendRow | null {
    return this.#database
      .query<BudgetSpendRow, [string, number, string]>(
        "SELECT * FROM budget_spend WHERE budget_id = ? AND since = ? AND period = ?",
      )
      .get(budgetId, since, period);
  }

  openIntents(): number {
    const hasEvent = this.#database.query("SELECT 1 FROM events WHERE id = ?");
    return readIntents(this.path).filter(({ id }) => hasEvent.get(id) === null).length;
  }

  agents(): LedgerAgent[] {
    return this.#database
      .query<LedgerAgent, []>(
        "SELECT org_id, mode, agent_key, id, first_seen_at FROM agents ORDER BY first_seen_at",
      )
      .all();
  }

  agentsOf(orgId: string, mode: Mode): Pick<LedgerAgent, "agent_key" | "id" | "first_seen_at">[] {
    return this.#database
      .query<LedgerAgent, [string, string]>(
        "SELECT agent_key, id, first_seen_at FROM agents WHERE org_id = ? AND mode = ? ORDER BY first_seen_at",
      )
      .all(orgId, mode);
  }

  /** Changes when an agent registers, and when the file is replaced: its agents may have other ids. */
  agentsVersion(): string {
    const row = this.#database.query<{ count: number }, []>("SELECT count(*) AS count FROM agents").get();
    return `${this.#openings} ${row?.count ?? 0}`;
  }

  agent(orgId: string, mode: string, agentKey: string): Pick<LedgerAgent, "id" | "first_seen_at"> | null {
    return this.#database
      .query<LedgerAgent, [string, string, string]>(
        "SELECT id, first_seen_at FROM agents WHERE org_id = ? AND mode = ? AND agent_key = ?",
      )
      .get(orgId, mode, agentKey);
  }

  close(): void {
    this.#database.close();
  }
}

export type SequencedRow = EventRow & { readonly seq: number };

export function fromSequencedRow({ seq, ...row }: SequencedRow): SequencedEvent {
  return { seq, event: fromRow(row) };
}
