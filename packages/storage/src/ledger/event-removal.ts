import type { Database } from "bun:sqlite";
import type { Mode } from "@tollgate/core/event";
import { releasePages } from "../engine/sqlite.ts";

/** Where the ledger begins after retention: the first event that is kept. */
export interface LedgerBeginning {
  readonly seq: number;
  readonly eventId: string;
  /** Every event before it was admitted before this moment. */
  readonly atMs: number;
}

/** What the removed events of a month add up to. */
export interface RemovedEvents {
  readonly org_id: string;
  readonly mode: Mode;
  readonly month: string;
  readonly events: number;
  /** Without those of verifications. */
  readonly calls: number;
  readonly cost_microcents: number;
  readonly unpriced_calls: number;
}

/** All events that retention has removed. */
export interface Removed extends Pick<LedgerBeginning, "seq" | "atMs"> {
  readonly sums: readonly RemovedEvents[];
  /** Of those that a client reported. */
  readonly ids: readonly string[];
}

const PAGES_PER_STEP = 64;

/**
 * Removes the oldest events. Their sums, and the ids that clients know, are added up in the same transaction, so a crash
 * at any moment leaves a ledger that can be verified.
 */
export class EventRemoval {
  readonly #statements;

  constructor(private readonly database: Database) {
    const removed = "FROM events WHERE seq < ?";
    this.#statements = {
      has: database.query<{ found: number }, [number, string]>(
        "SELECT 1 AS found FROM events WHERE seq = ? AND id = ?",
      ),
      oldest: database.query<{ seq: number | null }, []>("SELECT min(seq) AS seq FROM events"),
      begin: database.query(
        "UPDATE history SET begins_seq = max(begins_seq, ?), begins_at = max(begins_at, ?)",
      ),
      addSums: database.query(
        `INSERT INTO removed_events (org_id, mode, month, events, calls, cost_microcents, unpriced_calls)
         SELECT org_id, mode, strftime('%Y-%m', created_at / 1000, 'unixepoch'), count(*),
           sum(source NOT IN ('shadow', 'judge')), sum(cost_microcents), sum(cost_basis = 'unpriced')
         ${removed} GROUP BY 1, 2, 3
         ON CONFLICT DO UPDATE SET events = events + excluded.events, calls = calls + excluded.calls,
           cost_microcents = cost_microcents + excluded.cost_microcents,
           unpriced_calls = unpriced_calls + excluded.unpriced_calls`,
      ),
      keepIds: database.query(
        `INSERT OR IGNORE INTO removed_ids SELECT id ${removed} AND source IN ('ingest', 'otlp')`,
      ),
      remove: database.query(`DELETE ${removed}`),
      addSum: database.query(
        `INSERT INTO removed_events (org_id, mode, month, events, calls, cost_microcents, unpriced_calls)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
      ),
      countCalls: database.query("INSERT INTO monthly_calls (org_id, month, calls) VALUES (?, ?, ?)"),
      keepId: database.query("INSERT INTO removed_ids VALUES (?)"),
    };
  }

  /**
   * The end of the next step, which removes at most `atMost` events; null: nothing is left to remove, or this ledger
   * does not have the event that would be its first.
   */
  next({ seq, eventId }: LedgerBeginning, atMost: number): number | null {
    const oldest = this.#statements.oldest.get()?.seq ?? null;
    if (oldest === null || oldest >= seq || this.#statements.has.get(seq, eventId) === null) return null;
    return Math.min(seq, oldest + atMost);
  }

  /** Runs in a transaction. Returns the number of events. */
  removeBefore(seq: number, atMs: number): number {
    this.#statements.begin.run(seq, atMs);
    this.#statements.addSums.run(seq);
    this.#statements.keepIds.run(seq);
    return this.#statements.remove.run(seq).changes;
  }

  /** Runs in a transaction, in a ledger without events. */
  beginAfter({ seq, atMs, sums, ids }: Removed): void {
    if (this.#statements.oldest.get()?.seq !== null) throw new Error("the ledger has events");
    // An earlier attempt may have ended before the first event was written.
    for (const table of ["removed_events", "removed_ids", "monthly_calls"]) {
      this.database.run(`DELETE FROM ${table}`);
    }
    this.#statements.begin.run(seq, atMs);
    for (const sum of sums) {
      const { org_id, mode, month, events, calls, cost_microcents, unpriced_calls } = sum;
      this.#statements.addSum.run(org_id, mode, month, events, calls, cost_microcents, unpriced_calls);
      if (mode === "live" && calls > 0) this.#statements.countCalls.run(org_id, month, calls);
    }
    for (const id of ids) this.#statements.keepId.run(id);
  }

  /** Returns whether there may be more. */
  releaseSpace(): boolean {
    return releasePages(this.database, PAGES_PER_STEP);
  }
}
