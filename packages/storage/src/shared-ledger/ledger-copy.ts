import type { Event } from "@tollgate/core/event";
import { fromRow } from "../database/from-row.ts";
import type { ControlDatabase } from "../database/open-control-database.ts";
import { DatabaseUnavailable } from "../engine/database-unavailable.ts";
import { repeatUntil } from "../following/repeat-until.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { LEDGER_START, type LedgerPosition } from "../ledger/ledger-position.ts";
import type { NewAgent } from "../ledger/registered-agents.ts";
import type { StoredRateCard } from "../ledger/settling.ts";
import { decodeSharedEvent } from "./shared-event.ts";
import { readRemoved } from "./shared-history.ts";

const BATCH_SIZE = 2000;
/** Only in case a notification is lost. */
const POLL_MS = 1000;
/** Fewer may be a busy disk. */
const STUCK_AFTER_FAULTS = 3;

/** PostgreSQL no longer has the copy's last event. */
export class CopyDiverged extends Error {
  constructor(readonly position: LedgerPosition) {
    super(
      `PostgreSQL does not have event ${position.seq}, the last one of this copy: it was restored from an older backup, or has lost its last events in a failover. Stop this control plane, and delete its ledger.db*`,
    );
    this.name = "CopyDiverged";
  }
}

/**
 * A control plane's local copy of the shared ledger. An event's `seq` is its position there, so the copies of all control
 * planes are equal, and a reader can continue on another one. Readers use the copy like a gateway's own ledger.
 */
export class LedgerCopy {
  #end: LedgerPosition;
  readonly #knownCards = new Set<string>();
  #turn: Promise<unknown> = Promise.resolve();
  #wake: () => void = () => {};
  #faultsInARow = 0;
  #isDiverged = false;

  private constructor(
    private readonly database: ControlDatabase,
    private readonly ledger: Ledger,
    end: LedgerPosition,
    private readonly onFault: (fault: unknown) => void,
  ) {
    this.#end = end;
  }

  /** Continues a copy at its end; a new one begins where the shared ledger begins after retention. */
  static async open(
    database: ControlDatabase,
    ledger: Ledger,
    end: LedgerPosition,
    onFault: (fault: unknown) => void = () => {},
  ): Promise<LedgerCopy> {
    const copy = new LedgerCopy(database, ledger, end, onFault);
    if (end.seq === LEDGER_START.seq) await copy.#begin();
    return copy;
  }

  get end(): number {
    return this.#end.seq;
  }

  /** PostgreSQL no longer has the last event: nothing more is copied. */
  get isDiverged(): boolean {
    return this.#isDiverged;
  }

  /** This machine cannot copy what PostgreSQL has, for example because its disk is full. */
  get isStuck(): boolean {
    return this.#faultsInARow >= STUCK_AFTER_FAULTS;
  }

  /** Resolves once everything that was committed before the call is copied. */
  refresh(): Promise<void> {
    const turn = this.#turn.then(async () => {
      while (await this.#pull());
    });
    this.#turn = turn.catch(() => {});
    return turn;
  }

  /** There is something new. */
  wake(): void {
    this.#wake();
  }

  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener("abort", () => this.wake(), { once: true });
    await repeatUntil(
      signal,
      0,
      async () => {
        const woken = this.#nextWake();
        await this.refresh();
        this.#faultsInARow = 0;
        if (!signal.aborted) await woken;
      },
      fault => {
        // Then no other machine could, either.
        if (!(fault instanceof DatabaseUnavailable)) this.#faultsInARow++;
        this.onFault(fault);
      },
    );
  }

  #nextWake(): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, POLL_MS);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Of an empty copy. Resolves with whether it begins later than before. */
  async #begin(): Promise<boolean> {
    const removed = await readRemoved(this.database.db);
    if (removed === null || removed.seq - 1 <= this.#end.seq) return false;
    await this.ledger.beginAfter(removed);
    this.#end = { seq: removed.seq - 1, eventId: null };
    await this.ledger.append([], await this.#agents(0, this.#end.seq));
    return true;
  }

  /** Resolves with whether there may be more. */
  async #pull(): Promise<boolean> {
    const from = this.#end;
    // The last event of the copy comes along, to see that it is still the same.
    const rows = await this.database.db
      .selectFrom("shared_events")
      .select(["position", "id", "event"])
      .where("position", ">=", from.seq)
      .orderBy("position")
      .limit(BATCH_SIZE + 1)
      .execute();
    const first = rows[0];
    this.#isDiverged = from.eventId !== null && (first?.position !== from.seq || first.id !== from.eventId);
    if (this.#isDiverged) throw new CopyDiverged(from);
    const fresh = rows.filter(({ position }) => position > from.seq);
    // Retention may have gone on since an empty copy was opened.
    if (from.eventId === null && fresh[0]?.position !== from.seq + 1 && (await this.#begin())) return true;
    for (const [index, { position }] of fresh.entries()) {
      if (position !== from.seq + index + 1)
        throw new Error(`the shared ledger has a gap before event ${position}`);
    }
    const to = fresh.at(-1);
    const agents = await this.#agents(from.seq, to?.position ?? from.seq);
    if (to === undefined) {
      if (agents.length > 0) await this.ledger.append([], agents);
      return false;
    }
    const events = fresh.map(({ event }) => decodeSharedEvent(event));
    const cards = await this.#cards(events);
    await this.ledger.append(
      events.map((event, index) => ({ event, cards: index === 0 ? cards : [] })),
      agents,
    );
    for (const { version } of cards) this.#knownCards.add(version);
    this.#end = { seq: to.position, eventId: to.id };
    return rows.length > BATCH_SIZE;
  }

  /** Also those that came with the last event: the copy may have been made in between. */
  async #agents(from: number, to: number): Promise<NewAgent[]> {
    const rows = await this.database.db
      .selectFrom("shared_agents")
      .selectAll()
      .where("position", ">=", from)
      .where("position", "<=", to)
      .execute();
    return rows.map(row => {
      const { id, org_id, mode, agent_key, first_seen_at } = fromRow("shared_agents", row);
      return { id, org_id, mode, agent_key: JSON.parse(agent_key) as string, first_seen_at };
    });
  }

  async #cards(events: readonly Event[]): Promise<StoredRateCard[]> {
    const isNew = events.some(
      ({ price_version }) => price_version !== null && !this.#knownCards.has(price_version),
    );
    if (!isNew) return [];
    const rows = await this.database.db.selectFrom("shared_rate_cards").selectAll().execute();
    return rows.filter(({ version }) => !this.#knownCards.has(version));
  }
}
