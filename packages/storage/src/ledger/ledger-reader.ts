import type { Database } from "bun:sqlite";
import type { Event, Mode } from "@tollgate/core/event";
import { ChangeDetector, openForReading } from "../sqlite.ts";
import { type EventRow, eventColumns, fromRow } from "./event-row.ts";
import { readIntents } from "./intent-journal.ts";

export interface SequencedEvent {
  readonly seq: number;
  readonly event: Event;
}

const columns = ["seq", ...eventColumns].join(", ");

/**
 * Another process's view of the ledger. Every read is one short statement: a transaction held open would stop the
 * writer from reusing its write-ahead log.
 */
export class LedgerReader {
  readonly #database: Database;

  constructor(private readonly path: string) {
    this.#database = openForReading(path);
  }

  /** Events after `cursor`, in the order in which they became facts. */
  after(cursor: number, atMost: number): SequencedEvent[] {
    return this.#database
      .query<EventRow & { seq: number }, [number, number]>(
        `SELECT ${columns} FROM events WHERE seq > ? ORDER BY seq LIMIT ?`,
      )
      .all(cursor, atMost)
      .map(({ seq, ...row }) => ({ seq, event: fromRow(row) }));
  }

  newest(atMost: number): SequencedEvent[] {
    return this.#database
      .query<EventRow & { seq: number }, [number]>(`SELECT ${columns} FROM events ORDER BY seq DESC LIMIT ?`)
      .all(atMost)
      .map(({ seq, ...row }) => ({ seq, event: fromRow(row) }));
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

  openIntents(): number {
    const hasEvent = this.#database.query("SELECT 1 FROM events WHERE id = ?");
    return readIntents(this.path).filter(({ id }) => hasEvent.get(id) === null).length;
  }

  agents(): { org_id: string; mode: string; agent_key: string; id: string; first_seen_at: number }[] {
    return this.#database
      .query<{ org_id: string; mode: string; agent_key: string; id: string; first_seen_at: number }, []>(
        "SELECT org_id, mode, agent_key, id, first_seen_at FROM agents ORDER BY first_seen_at",
      )
      .all();
  }

  /**
   * Follows the ledger for ever: batches of new events as they come, none skipped, none twice. The caller commits
   * its cursor together with what it derived from a batch.
   */
  async *follow(
    cursor: number,
    options: { readonly signal: AbortSignal; readonly pollMs?: number; readonly batch?: number },
  ): AsyncGenerator<SequencedEvent[]> {
    const { signal, pollMs = 20, batch = 1000 } = options;
    let at = cursor;
    // Each follower has its own, which begins as changed: what another one has already seen is news to this one.
    const changes = new ChangeDetector(this.#database);
    while (!signal.aborted) {
      // Asked before the read: a write between the two is then seen at the next turn, never missed.
      const changed = changes.changed();
      let events = changed ? this.after(at, batch) : [];
      while (events.length > 0) {
        at = events.at(-1)?.seq ?? at;
        yield events;
        if (signal.aborted) return;
        events = this.after(at, batch);
      }
      await Bun.sleep(pollMs);
    }
  }

  close(): void {
    this.#database.close();
  }
}
