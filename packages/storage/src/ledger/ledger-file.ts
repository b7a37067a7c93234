import type { Database, SQLQueryBindings } from "bun:sqlite";
import { DatabaseFile } from "../engine/database-file.ts";
import { Pulse } from "../engine/pulse.ts";
import { dataVersion, openForReading, versionOf } from "../engine/sqlite.ts";
import { LEDGER_START, LedgerDiverged, type LedgerPosition } from "./ledger-position.ts";
import { ledgerMigrations } from "./migrations.ts";

/** The most that an event is delayed while others arrive. */
const LOOK_EVERY_MS = 20;

/**
 * A ledger that another process writes, and positions in it. Every read is one short statement: a transaction held open
 * would stop the writer from reusing its write-ahead log.
 */
export class LedgerFile {
  protected database: Database;
  /** How often the file was opened. */
  protected openings = 1;

  readonly file: DatabaseFile;
  readonly pulse: Pulse;

  constructor(protected readonly path: string) {
    this.database = openForReading(path);
    this.file = new DatabaseFile(path);
    this.pulse = new Pulse({
      readVersion: () => dataVersion(this.database),
      logPath: this.file.logPath,
      lookEveryMs: LOOK_EVERY_MS,
    });
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
    const replaced = this.database;
    this.database = database;
    this.openings++;
    this.file.reopened();
    replaced.close();
    this.pulse.beat();
  }

  /**
   * Reads from a position, in a snapshot in which the ledger still has it. Throws `LedgerDiverged` if it does not:
   * continuing by seq alone would skip, or treat as read, events that were never seen.
   */
  readFrom<Result>(position: LedgerPosition, read: (position: LedgerPosition) => Result): Result {
    return this.database.transaction(() => read(this.#confirm(position)))();
  }

  /** The same position with its event's id, which an older version did not store. */
  #confirm(position: LedgerPosition): LedgerPosition {
    const found = this.positionAt(position.seq);
    if (found === null || !this.has(position)) throw new LedgerDiverged(position);
    return found;
  }

  has({ seq, eventId }: LedgerPosition): boolean {
    const found = this.positionAt(seq);
    return found !== null && (eventId === null || eventId === found.eventId);
  }

  /** null: the ledger has no event with that seq. */
  positionAt(seq: number): LedgerPosition | null {
    return seq === 0 ? LEDGER_START : this.row("SELECT seq, id AS eventId FROM events WHERE seq = ?", seq);
  }

  /** The newest event up to a seq, inclusive. */
  lastPositionUpTo(seq: number): LedgerPosition {
    return (
      this.row<LedgerPosition>(
        "SELECT seq, id AS eventId FROM events WHERE seq <= ? ORDER BY seq DESC LIMIT 1",
        seq,
      ) ?? LEDGER_START
    );
  }

  newestPosition(): LedgerPosition {
    return this.lastPositionUpTo(Number.MAX_SAFE_INTEGER);
  }

  /** The first event from a seq on, and up to another, that was admitted at a moment or later. Scans the range. */
  firstSince(atMs: number, from: number, upTo: number): LedgerPosition | null {
    return this.row(
      "SELECT seq, id AS eventId FROM events WHERE seq >= ? AND seq <= ? AND created_at >= ? ORDER BY seq LIMIT 1",
      from,
      upTo,
      atMs,
    );
  }

  /** 0 if there is no event. */
  oldestSeq(): number {
    return this.row<{ seq: number | null }>("SELECT min(seq) AS seq FROM events")?.seq ?? 0;
  }

  /** 0 if there is no event yet. */
  newestSeq(): number {
    return this.row<{ seq: number | null }>("SELECT max(seq) AS seq FROM events")?.seq ?? 0;
  }

  /** False: another version wrote the file, so its tables may differ. */
  isCurrent(): boolean {
    return versionOf(this.database) === ledgerMigrations.length;
  }

  /** True: the gateway has not created its tables yet, or has not migrated them to this program's schema. */
  isOlder(): boolean {
    return versionOf(this.database) < ledgerMigrations.length;
  }

  close(): void {
    this.database.close();
  }

  protected rows<Row>(query: string, ...values: SQLQueryBindings[]): Row[] {
    return this.database.query<Row, SQLQueryBindings[]>(query).all(...values);
  }

  protected row<Row>(query: string, ...values: SQLQueryBindings[]): Row | null {
    return this.database.query<Row, SQLQueryBindings[]>(query).get(...values);
  }
}
