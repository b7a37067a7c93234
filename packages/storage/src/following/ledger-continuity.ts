import { describeFault, type Log } from "@tollgate/core/log";
import { type History, readHistory } from "../database/history.ts";
import type { ControlDatabase, Engine } from "../database/open-control-database.ts";
import type { ControlDb } from "../database/schema.ts";
import type { EventSummary } from "../ledger/event-parts.ts";
import { LEDGER_START, type LedgerPosition } from "../ledger/ledger-position.ts";
import type { LedgerReader } from "../ledger/ledger-reader.ts";
import { repeatUntil } from "./repeat-until.ts";
import { lockPosition, movePosition, readSeq } from "./stored-position.ts";

/** How to repair the rows of one reader after the ledger has lost events. */
export interface LedgerRepair {
  /** The name of its cursor, if it is stored. */
  readonly reader: string;
  /**
   * Deletes everything derived from events after `common`, the last event that the ledger still has. Resolves with the
   * position to continue from. A reader that is not past that position keeps its own.
   */
  restart(db: ControlDb, engine: Engine, common: LedgerPosition): Promise<LedgerPosition>;
  /** true: rebuilt from the start; its results are incomplete until it has caught up. */
  readonly isRebuilt?: boolean;
  /** Whether its data at this event's position was derived from this event; null: it has no data there. */
  recognizes?(db: ControlDb, event: EventSummary): Promise<boolean | null>;
}

interface ContinuityParts {
  readonly database: ControlDatabase;
  readonly ledger: LedgerReader;
  readonly repairs: readonly LedgerRepair[];
  /** For a ledger that is a copy: brings it up to date. */
  readonly refresh?: () => Promise<void>;
  /** For a ledger that is a copy: whether the original has lost what was copied. */
  readonly isCopyDiverged?: () => boolean;
  readonly now: () => number;
  readonly log: Log;
}

interface ReaderPosition {
  readonly reader: string;
  readonly position: LedgerPosition;
}

interface Rebuild {
  readonly id: number;
  readonly until_seq: number;
}

interface Divergence {
  readonly readers: readonly string[];
  readonly common: LedgerPosition;
  readonly lostSeq: number;
  readonly untilSeq: number;
}

const POLL_MS = 100;
/** While nothing is rebuilt. */
const REST_MS = 1000;
const REPORT_EVERY_MS = 10_000;

/**
 * Keeps derived data consistent with the current ledger. When a reader finds that the ledger lacks the event at its
 * cursor (a restored backup, a damaged write-ahead log), all readers are reset in one transaction: after a crash,
 * either nothing has changed or every reader continues from its own cursor.
 */
export class LedgerContinuity {
  #turn: Promise<unknown> = Promise.resolve();
  #generation = 0;
  #isDiverged = false;
  #rebuilds = 0;
  #underWay: Rebuild | null = null;

  constructor(private readonly parts: ContinuityParts) {}

  /** Increases with each repair: anything cached before it may be wrong. */
  get generation(): number {
    return this.#generation;
  }

  /** Derived data does not match the ledger, or is still being rebuilt. */
  get isDegraded(): boolean {
    return this.#isDiverged || this.#underWay !== null || this.parts.isCopyDiverged?.() === true;
  }

  /** Number of rebuilds of this database so far. */
  get rebuilds(): number {
    return this.#rebuilds;
  }

  /** Without its repair, a reader would keep data derived from lost events. */
  requireRepair(repair: LedgerRepair): void {
    if (!this.parts.repairs.includes(repair)) throw new Error(`${repair.reader} has no repair`);
  }

  /** Compares every cursor with the ledger and repairs if one does not match. Resolves with whether it repaired. */
  reconcile(): Promise<boolean> {
    const turn = this.#turn.then(() => this.#reconcile());
    this.#turn = turn.catch(() => {});
    return turn;
  }

  /** Logs the progress and the end of a rebuild, until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    let reportAt = performance.now() + REPORT_EVERY_MS;
    const look = async () => {
      if (this.#underWay === null) {
        const { pulse } = this.parts.ledger;
        await pulse.next(pulse.beats, REST_MS, signal);
        reportAt = performance.now() + REPORT_EVERY_MS;
        return "again";
      }
      const isDue = performance.now() >= reportAt;
      if (isDue) reportAt = performance.now() + REPORT_EVERY_MS;
      await this.#followRebuild(this.#underWay, isDue);
    };
    await repeatUntil(signal, POLL_MS, look, fault =>
      this.parts.log("error", "cannot check the progress of the rebuild; retrying", describeFault(fault)),
    );
  }

  async #reconcile(): Promise<boolean> {
    const { database, log } = this.parts;
    this.#isDiverged = true;
    const found = await database.db.transaction().execute(async transaction => {
      const cursors = await this.#lockCursors(transaction);
      // Another process may have read events that this copy does not have yet.
      await this.parts.refresh?.();
      const lost: ReaderPosition[] = [];
      for (const cursor of cursors) if (!(await this.#isKept(transaction, cursor))) lost.push(cursor);
      return lost.length === 0 ? null : this.#restartAll(transaction, cursors, lost);
    });
    await this.#loadRebuilds();
    this.#isDiverged = false;
    if (found === null) return false;
    this.#generation++;
    this.parts.ledger.pulse.beat();
    log("error", "the ledger has lost events that were already read; rebuilding derived data", {
      readers: found.readers.join(" "),
      read_up_to: found.lostSeq,
      last_common_event: found.common.seq,
      ledger_ends_at: found.untilSeq,
    });
    return true;
  }

  /** Writers of derived data lock their own cursor, so once all cursors are locked here, no writer is active. */
  async #lockCursors(transaction: ControlDb): Promise<ReaderPosition[]> {
    const readers = this.parts.repairs.map(({ reader }) => reader).sort();
    const cursors: ReaderPosition[] = [];
    for (const reader of readers) {
      const position = await lockPosition(transaction, this.parts.database.engine, reader);
      if (position !== null) cursors.push({ reader, position });
    }
    return cursors;
  }

  async #isKept(transaction: ControlDb, { reader, position }: ReaderPosition): Promise<boolean> {
    const { ledger } = this.parts;
    if (!ledger.has(position)) return false;
    if (position.eventId !== null || position.seq === 0) return true;
    // An older version stored the seq alone: accept it if the derived data belongs to this event.
    const [event] = ledger.summariesAfter(position.seq - 1, 1);
    if (event === undefined || (await this.#isRecognized(transaction, event)) === false) return false;
    await movePosition(transaction, reader, { seq: event.seq, eventId: event.id });
    return true;
  }

  async #restartAll(
    transaction: ControlDb,
    cursors: readonly ReaderPosition[],
    lost: readonly ReaderPosition[],
  ): Promise<Divergence> {
    const { ledger, repairs, database, now } = this.parts;
    const until = ledger.newestPosition();
    // A database older than its ledger may not know what is gone: those sums cannot be derived again either.
    await transaction
      .updateTable("history")
      .set({ begins_at: ledger.beginning().atMs })
      .where("begins_at", "<", ledger.beginning().atMs)
      .execute();
    const history = await readHistory(transaction);
    const common = await this.#lastCommon(transaction, cursors, until.seq, history);
    const isBeginningLost = history.beginning !== null && !ledger.has(history.beginning);
    await transaction
      .updateTable("history")
      .set({
        counted_seq: common.seq,
        ...(isBeginningLost && { begins_seq: null, begins_event_id: null }),
      })
      .where("begins_at", ">", 0)
      .execute();
    for (const repair of repairs) {
      const restart = await repair.restart(transaction, database.engine, common);
      const cursor = cursors.find(({ reader }) => reader === repair.reader);
      if (cursor !== undefined && cursor.position.seq > restart.seq)
        await movePosition(transaction, cursor.reader, restart);
    }
    const readers = lost.map(({ reader }) => reader);
    const lostSeq = Math.max(...cursors.map(({ position }) => position.seq));
    // The new rebuild includes one that was still running.
    await transaction
      .updateTable("rebuilds")
      .set({ finished_at: now() })
      .where("finished_at", "is", null)
      .execute();
    await transaction
      .insertInto("rebuilds")
      .values({
        readers: readers.join(" "),
        common_seq: common.seq,
        common_event_id: common.eventId,
        lost_seq: lostSeq,
        until_seq: until.seq,
        noticed_at: now(),
        finished_at: null,
      })
      .execute();
    return { readers, common, lostSeq, untilSeq: until.seq };
  }

  /**
   * The last event that was read and still exists. Two ledgers with a common origin agree up to some event and nowhere
   * after it, so a binary search finds it. The result is never too late; if too early, some events are read twice.
   * Events from before the history begins have no facts: they are taken for the same.
   */
  async #lastCommon(
    transaction: ControlDb,
    cursors: readonly ReaderPosition[],
    newest: number,
    history: History,
  ): Promise<LedgerPosition> {
    const { ledger } = this.parts;
    const rebuilds = await transaction
      .selectFrom("rebuilds")
      .select(["common_seq as seq", "common_event_id as eventId"])
      .execute();
    const beginnings = history.beginning === null ? [] : [history.beginning];
    const known = [...cursors.map(({ position }) => position), ...rebuilds, ...beginnings].filter(
      position => position.eventId !== null && ledger.has(position),
    );
    let common = known.reduce((last, position) => (position.seq > last.seq ? position : last), LEDGER_START);
    let end = newest;
    while (common.seq < end) {
      const middle = Math.ceil((common.seq + end) / 2);
      const [event] = ledger.summariesAfter(middle - 1, 1);
      const isSame =
        event !== undefined &&
        event.seq === middle &&
        (event.created_at < history.beginsAtMs || (await this.#isRecognized(transaction, event)));
      if (isSame) {
        common = { seq: event.seq, eventId: event.id };
      } else end = middle - 1;
    }
    return common;
  }

  /** null: no reader has data at the event's position. */
  async #isRecognized(transaction: ControlDb, event: EventSummary): Promise<boolean | null> {
    let answer: boolean | null = null;
    for (const repair of this.parts.repairs) {
      const recognized = (await repair.recognizes?.(transaction, event)) ?? null;
      if (recognized === false) return false;
      answer = recognized ?? answer;
    }
    return answer;
  }

  async #loadRebuilds(): Promise<void> {
    const rows = await this.parts.database.db.selectFrom("rebuilds").selectAll().orderBy("id").execute();
    this.#rebuilds = rows.length;
    this.#underWay = rows.findLast(({ finished_at }) => finished_at === null) ?? null;
  }

  async #followRebuild({ id, until_seq }: Rebuild, isDue: boolean): Promise<void> {
    const { database, repairs, now, log } = this.parts;
    const { db } = database;
    const rebuilt = repairs.filter(({ isRebuilt }) => isRebuilt).map(({ reader }) => reader);
    const reached = Math.min(...(await Promise.all(rebuilt.map(reader => readSeq(db, reader)))));
    if (reached < until_seq) {
      if (isDue) log("info", "rebuilding derived data", { event: reached, of: until_seq });
      return;
    }
    await db.updateTable("rebuilds").set({ finished_at: now() }).where("id", "=", id).execute();
    // Another repair may have started since.
    if (this.#underWay?.id === id) this.#underWay = null;
    log("info", "derived data was rebuilt from the ledger", { events: until_seq });
  }
}
