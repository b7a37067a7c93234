import type { SQLQueryBindings } from "bun:sqlite";
import type { Event, Mode, PairMark } from "@tollgate/core/event";
import {
  type CountedEvent,
  type EventSummary,
  type ExperimentEvent,
  type GatewayCallEvent,
  type PairEvent,
  type ProductionEvent,
  type ProfiledEvent,
  type ServedModel,
  type StoredPairEvent,
  selectLists,
} from "./event-parts.ts";
import type { RemovedEvents } from "./event-removal.ts";
import { type EventRow, fromRow } from "./event-row.ts";
import { readIntents } from "./intent-journal.ts";
import { LedgerFile } from "./ledger-file.ts";
import {
  type CountedRefusals,
  countRefusals,
  type ListedRefusal,
  type RefusalCounting,
  type RefusalFilter,
  type RefusalGroup,
  readRefusals,
  type StoredRefusal,
} from "./read-refusals.ts";
import type { Scope } from "./scope.ts";

export interface SequencedEvent {
  readonly seq: number;
  readonly event: Event;
}

interface BudgetSpendRow {
  readonly budget_id: string;
  readonly since: number;
  readonly period: string;
  readonly spent_microcents: number;
  readonly withheld_microcents: number;
}

const { all, summary, counted, profiled, gatewayCall } = selectLists;
const between = "WHERE seq > ? AND seq <= ?";

interface LedgerAgent {
  readonly org_id: string;
  readonly mode: Mode;
  readonly agent_key: string;
  readonly id: string;
  readonly first_seen_at: number;
}

/** What other processes read from the ledger. */
export class LedgerReader extends LedgerFile {
  /** Events after `cursor`, in the order of their commits. */
  after(cursor: number, atMost: number): SequencedEvent[] {
    return this.#events(`SELECT ${all} FROM events WHERE seq > ? ORDER BY seq LIMIT ?`, cursor, atMost);
  }

  /** `upTo` is inclusive. */
  between(after: number, upTo: number): SequencedEvent[] {
    return this.#events(`SELECT ${all} FROM events ${between} ORDER BY seq`, after, upTo);
  }

  /** As stored, for a reader that needs few of them in full. `upTo` is inclusive. */
  rowsBetween(after: number, upTo: number): SequencedRow[] {
    return this.rows(`SELECT ${all} FROM events ${between} ORDER BY seq`, after, upTo);
  }

  summariesBetween(after: number, upTo: number): EventSummary[] {
    return this.rows(`SELECT ${summary} FROM events ${between} ORDER BY seq`, after, upTo);
  }

  countedBetween(after: number, upTo: number): CountedEvent[] {
    return this.rows(`SELECT ${counted} FROM events ${between} ORDER BY seq`, after, upTo);
  }

  /** One organization's events within a range. No index helps: keep the range small. */
  ofScope(orgId: string, mode: Mode, after: number, upTo: number, atMost: number): SequencedEvent[] {
    return this.#events(
      `SELECT ${all} FROM events ${between} AND org_id = ? AND mode = ? ORDER BY seq LIMIT ?`,
      after,
      upTo,
      orgId,
      mode,
      atMost,
    );
  }

  countOfScope(orgId: string, mode: Mode, after: number, upTo: number): number {
    const counted = this.row<{ events: number }>(
      `SELECT count(*) AS events FROM events ${between} AND org_id = ? AND mode = ?`,
      after,
      upTo,
      orgId,
      mode,
    );
    return counted?.events ?? 0;
  }

  /** The same events, with only the summary columns. */
  summariesAfter(cursor: number, atMost: number): EventSummary[] {
    return this.rows(`SELECT ${summary} FROM events WHERE seq > ? ORDER BY seq LIMIT ?`, cursor, atMost);
  }

  countedAfter(cursor: number, atMost: number): CountedEvent[] {
    return this.rows(`SELECT ${counted} FROM events WHERE seq > ? ORDER BY seq LIMIT ?`, cursor, atMost);
  }

  /** Events without a known price; `upTo` is inclusive. No index helps: keep the range small. */
  unpricedWithin(cursor: number, upTo: number): EventSummary[] {
    return this.rows(
      `SELECT ${summary} FROM events ${between} AND cost_basis = 'unpriced' ORDER BY seq`,
      cursor,
      upTo,
    );
  }

  /** Calls of agents, without those of verifications. */
  profiledBetween(after: number, upTo: number): ProfiledEvent[] {
    return this.rows(`SELECT ${profiled} FROM events ${between} AND pair IS NULL ORDER BY seq`, after, upTo);
  }

  /** The gateway's own calls: ingested ones are not steered. */
  gatewayCallsBetween(after: number, upTo: number): GatewayCallEvent[] {
    return this.rows(
      `SELECT ${gatewayCall} FROM events ${between} AND source = 'gateway' ORDER BY seq`,
      after,
      upTo,
    );
  }

  /** The same columns, for given seqs; unordered. */
  gatewayCallsBySeqs(seqs: readonly number[]): GatewayCallEvent[] {
    return this.rows(
      `SELECT ${gatewayCall} FROM events
        WHERE seq IN (SELECT value FROM json_each(?)) AND source = 'gateway'`,
      JSON.stringify(seqs),
    );
  }

  /** Events of experiments. No index helps: keep the range small. */
  experimentEventsBetween(after: number, upTo: number): ExperimentEvent[] {
    return this.rows(
      `SELECT ${selectLists.experiment} FROM events ${between} AND experiment_id IS NOT NULL ORDER BY seq`,
      after,
      upTo,
    );
  }

  /** Events of verifications. No index helps: keep the range small. */
  pairEventsBetween(after: number, upTo: number): PairEvent[] {
    return this.rows<StoredPairEvent>(
      `SELECT ${selectLists.pair} FROM events ${between} AND pair IS NOT NULL ORDER BY seq`,
      after,
      upTo,
    ).map(({ pair, ...event }) => ({ ...event, pair: JSON.parse(pair) as PairMark }));
  }

  /** The production calls of pairs, unordered. */
  productionEvents(ids: readonly string[]): ProductionEvent[] {
    return this.rows(
      `SELECT ${selectLists.pair} FROM events WHERE id IN (SELECT value FROM json_each(?))`,
      JSON.stringify(ids),
    );
  }

  /** Served model names, each once. */
  servedModelsBetween(after: number, upTo: number): ServedModel[] {
    return this.rows(
      `SELECT DISTINCT org_id, mode, provider, model, served_model FROM events
        ${between} AND served_model IS NOT NULL AND source IN ('gateway', 'shadow')`,
      after,
      upTo,
    );
  }

  summariesByIds(ids: readonly string[]): EventSummary[] {
    return this.rows(
      `SELECT ${summary} FROM events WHERE id IN (SELECT value FROM json_each(?))`,
      JSON.stringify(ids),
    );
  }

  /** Unordered; missing seqs are omitted. */
  bySeqs(seqs: readonly number[]): SequencedEvent[] {
    return this.#events(
      `SELECT ${all} FROM events WHERE seq IN (SELECT value FROM json_each(?))`,
      JSON.stringify(seqs),
    );
  }

  byId(id: string): SequencedEvent | null {
    return this.#events(`SELECT ${all} FROM events WHERE id = ?`, id)[0] ?? null;
  }

  /** Retention has removed the events before `seq`, all of them admitted before `atMs`; 0: none. */
  beginning(): { readonly seq: number; readonly atMs: number } {
    return (
      this.row<{ seq: number; atMs: number }>("SELECT begins_seq AS seq, begins_at AS atMs FROM history") ?? {
        seq: 0,
        atMs: 0,
      }
    );
  }

  /** Sums of the events that retention has removed. */
  removedEvents(): RemovedEvents[] {
    return this.rows("SELECT * FROM removed_events");
  }

  /** Of events that a client reported and retention has removed. */
  removedIds(): string[] {
    return this.rows<{ id: string }>("SELECT id FROM removed_ids").map(({ id }) => id);
  }

  /** Newest first; of one organization, or all. */
  newest(atMost: number, orgId: string | null = null): SequencedEvent[] {
    return this.#events(
      `SELECT ${all} FROM events WHERE org_id = coalesce(?, org_id) ORDER BY seq DESC LIMIT ?`,
      orgId,
      atMost,
    );
  }

  modeOf(eventId: string): Mode | null {
    return this.row<{ mode: Mode }>("SELECT mode FROM events WHERE id = ?", eventId)?.mode ?? null;
  }

  rateCard(version: string): string | null {
    return this.row<{ card: string }>("SELECT card FROM rate_cards WHERE version = ?", version)?.card ?? null;
  }

  rateCards(): { version: string; card: string }[] {
    return this.rows("SELECT version, card FROM rate_cards ORDER BY version");
  }

  rateCardCount(): number {
    return this.row<{ count: number }>("SELECT count(*) AS count FROM rate_cards")?.count ?? 0;
  }

  monthlyCalls(): { org_id: string; month: string; calls: number }[] {
    return this.rows("SELECT org_id, month, calls FROM monthly_calls ORDER BY org_id, month");
  }

  /** `month` is such as 2026-11. */
  monthlyCallsOf(orgId: string, month: string): number {
    const row = this.row<{ calls: number }>(
      "SELECT calls FROM monthly_calls WHERE org_id = ? AND month = ?",
      orgId,
      month,
    );
    return row?.calls ?? 0;
  }

  /** Each budget's spend by period, since its creation or last reset. */
  budgetSpends(): BudgetSpendRow[] {
    return this.rows(
      "SELECT budget_id, since, period, spent_microcents, withheld_microcents FROM budget_spend ORDER BY budget_id, since, period",
    );
  }

  /** The spend of one budget in one period; null: no call has counted toward it. */
  budgetSpend(budgetId: string, since: number, period: string): BudgetSpendRow | null {
    return this.row(
      "SELECT * FROM budget_spend WHERE budget_id = ? AND since = ? AND period = ?",
      budgetId,
      since,
      period,
    );
  }

  refusals(scope: Scope, filter: RefusalFilter, before: number, limit: number): ListedRefusal[] {
    return readRefusals(this.database, scope, filter, before, limit);
  }

  refusalCounts(...asked: RefusalCounting): RefusalGroup[] {
    return countRefusals(this.database, ...asked);
  }

  /** The id of the newest refused call that is listed; 0: none. */
  newestRefusal(): number {
    return this.row<{ id: number | null }>("SELECT max(id) AS id FROM refusals")?.id ?? 0;
  }

  /** In order of their ids. */
  refusalsAfter(id: number, limit: number): StoredRefusal[] {
    return this.rows("SELECT * FROM refusals WHERE id > ? ORDER BY id LIMIT ?", id, limit);
  }

  refusalCountsFrom(hour: number): CountedRefusals[] {
    return this.rows("SELECT * FROM refusal_counts WHERE hour >= ?", hour);
  }

  openIntents(): number {
    return readIntents(this.path).filter(({ id }) => this.modeOf(id) === null).length;
  }

  agents(): LedgerAgent[] {
    return this.rows("SELECT org_id, mode, agent_key, id, first_seen_at FROM agents ORDER BY first_seen_at");
  }

  agentsOf(orgId: string, mode: Mode): Pick<LedgerAgent, "agent_key" | "id" | "first_seen_at">[] {
    return this.rows(
      "SELECT agent_key, id, first_seen_at FROM agents WHERE org_id = ? AND mode = ? ORDER BY first_seen_at",
      orgId,
      mode,
    );
  }

  /** Changes when an agent registers, and when the file is replaced: its agents may have other ids. */
  agentsVersion(): string {
    return `${this.openings} ${this.row<{ count: number }>("SELECT count(*) AS count FROM agents")?.count ?? 0}`;
  }

  agent(orgId: string, mode: string, agentKey: string): Pick<LedgerAgent, "id" | "first_seen_at"> | null {
    return this.row(
      "SELECT id, first_seen_at FROM agents WHERE org_id = ? AND mode = ? AND agent_key = ?",
      orgId,
      mode,
      agentKey,
    );
  }

  #events(query: string, ...values: SQLQueryBindings[]): SequencedEvent[] {
    return this.rows<SequencedRow>(query, ...values).map(fromSequencedRow);
  }
}

export type SequencedRow = EventRow & { readonly seq: number };

export function fromSequencedRow({ seq, ...row }: SequencedRow): SequencedEvent {
  return { seq, event: fromRow(row) };
}
