import { describeFault, type Log } from "@tollgate/core/log";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import type { Applied, Batch, Consumer } from "@tollgate/storage/following/consumer";
import { Follower } from "@tollgate/storage/following/follower";
import type { LedgerContinuity, LedgerRepair } from "@tollgate/storage/following/ledger-continuity";
import { MemoryCursor } from "@tollgate/storage/following/memory-cursor";
import { repeatOnChange } from "@tollgate/storage/following/repeat-on-change";
import {
  beginPosition,
  lockPosition,
  movePosition,
  readPosition,
} from "@tollgate/storage/following/stored-position";
import type { EventSummary } from "@tollgate/storage/ledger/event-parts";
import { isSamePosition, LEDGER_START, type LedgerPosition } from "@tollgate/storage/ledger/ledger-position";
import type { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import type { Scope } from "@tollgate/storage/ledger/scope";
import type { ReadModelFollower } from "@tollgate/storage/read-model/deriving/follow-read-model";
import { EVENTS_CURSOR } from "@tollgate/storage/read-model/deriving/read-model-repair";
import { UsageWatch } from "@tollgate/storage/read-model/reading/watch-usage";
import { AlertClock } from "./alert-clock.ts";
import { AlertEvaluator, type EvaluatorParts } from "./alert-evaluator.ts";

const ALERTS_CURSOR = "alerts:events";

/** Short enough to raise an alert within a second of the call that crossed its threshold. */
export const ALERTS_POLL_MS = 100;
const SETTINGS_EVERY_MS = 250;
const TICK_MS = 1000;

interface Parts {
  readonly control: EvaluatorParts["control"];
  readonly database: ControlDatabase;
  readonly ledger: LedgerReader;
  /** Sums are read from it, so no event beyond its position is evaluated. */
  readonly readModel: Pick<ReadModelFollower, "position">;
  /** Repairs derived data when the ledger has lost events; while it does, nothing is evaluated. */
  readonly continuity?: LedgerContinuity;
  readonly log: Log;
}

/** Alerts are kept, because they were sent. Following continues after the last event that both ledgers have. */
export const alertRepair: LedgerRepair = {
  reader: ALERTS_CURSOR,
  restart: async (_db, _engine, common) => common,
};

/**
 * Raises and resolves alerts. Follows the ledger, never beyond the read model, and checks every second what changes
 * without a call. Each scope's alerts have their own transaction, and the cursor is stored after them: a crash makes
 * some events be evaluated twice, but an alert's key is unique, so nothing is skipped or sent twice.
 */
export class AlertWatch implements Consumer<readonly EventSummary[], null> {
  readonly repair = alertRepair;
  readonly batchSize = 5000;
  readonly pollMs = ALERTS_POLL_MS;
  readonly upkeepEveryMs = SETTINGS_EVERY_MS;
  readonly upkeepOn: ControlDatabase["pulse"];
  readonly follower: Follower<readonly EventSummary[], null>;
  readonly #cursor = new MemoryCursor(() => this.#readStored());
  readonly #clock: AlertClock;
  readonly #evaluator: AlertEvaluator;
  #stored: LedgerPosition = LEDGER_START;
  /** The version of the database in which settings were last read. */
  #refreshedVersion: ReturnType<ControlDatabase["version"]> = null;
  /** The same, for the last tick. */
  #tickedVersion: ReturnType<ControlDatabase["version"]> = null;

  private constructor(
    private readonly parts: Parts,
    usage: UsageWatch,
    scopes: readonly Scope[],
  ) {
    const { control, ledger, continuity, log } = parts;
    this.upkeepOn = parts.database.pulse;
    this.#clock = new AlertClock(ledger, control.now);
    const position = () => this.#cursor.at;
    const isHalted = () => this.#isHalted;
    this.#evaluator = new AlertEvaluator(
      { control, usage, clock: this.#clock, position, isHalted, log },
      scopes,
    );
    this.follower = new Follower(ledger, this.#cursor, this, {
      continuity,
      onFault: fault => this.#report(fault),
    });
  }

  /** On first use it starts at the read model's position: earlier events raise no alert. */
  static async open(parts: Parts): Promise<AlertWatch> {
    const { db } = parts.control;
    await beginPosition(db, ALERTS_CURSOR, (await readPosition(db, EVENTS_CURSOR)) ?? LEDGER_START);
    const usage = new UsageWatch(parts.database);
    const watch = new AlertWatch(parts, usage, await usage.scopes());
    await watch.#cursor.position();
    return watch;
  }

  /** Runs until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([
      this.follower.run(signal),
      repeatOnChange(
        this.parts.database,
        signal,
        TICK_MS,
        async () => {
          await this.follower.catchUp(signal);
          await this.tick();
        },
        fault => this.#report(fault),
      ),
    ]);
    await this.follower.between(() => this.#store()).catch(fault => this.#report(fault));
  }

  /** Evaluates everything that the read model has committed, and changed settings. */
  async catchUp(): Promise<void> {
    await this.follower.catchUp();
  }

  tick(): Promise<void> {
    return this.follower.between(async () => {
      if (this.#isHalted) return;
      const version = this.parts.database.version();
      await this.#evaluator.tick(version === null || version !== this.#tickedVersion);
      this.#tickedVersion = version;
      await this.#store();
      this.#clock.beginBacklog();
    });
  }

  limit(): number {
    return this.#isHalted ? 0 : this.parts.readModel.position;
  }

  read(after: number, upTo: number): EventSummary[] {
    return this.parts.ledger.summariesBetween(after, upTo);
  }

  async apply({ from, to, events }: Batch<readonly EventSummary[]>): Promise<Applied> {
    return { upTo: (await this.#evaluator.evaluateEvents(events, to)) ? to : from };
  }

  async upkeep(): Promise<boolean> {
    if (this.#isHalted) return false;
    const version = this.parts.database.version();
    if (version !== null && version === this.#refreshedVersion) return false;
    await this.#evaluator.refreshSettings();
    this.#refreshedVersion = version;
    return false;
  }

  forget(): void {
    this.#refreshedVersion = null;
    this.#evaluator.forget();
  }

  get #isHalted(): boolean {
    return this.parts.continuity?.isDegraded ?? false;
  }

  async #readStored(): Promise<LedgerPosition> {
    this.#stored = (await readPosition(this.parts.control.db, ALERTS_CURSOR)) ?? LEDGER_START;
    this.#clock.startAt(this.#stored);
    return this.#stored;
  }

  /** Called once a second, which is enough: events evaluated twice raise nothing twice. */
  async #store(): Promise<void> {
    const position = await this.#cursor.position();
    if (isSamePosition(position, this.#stored)) return;
    const { db, engine } = this.parts.control;
    this.#stored = await db.transaction().execute(async transaction => {
      const stored = (await lockPosition(transaction, engine, ALERTS_CURSOR)) ?? LEDGER_START;
      // Another process may be ahead. And a repair may have begun since this position was reached: it holds the lock
      // until it has compared every cursor with the ledger, so a position that the ledger lost must not follow it.
      if (stored.seq >= position.seq || !this.parts.ledger.has(position)) return stored;
      await movePosition(transaction, ALERTS_CURSOR, position);
      return position;
    });
  }

  #report(fault: unknown): void {
    this.parts.log("error", "could not evaluate alerts; retrying", describeFault(fault));
  }
}
