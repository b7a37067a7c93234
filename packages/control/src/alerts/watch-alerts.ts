import { isOfLastHour, isPeriodOver } from "@tollgate/core/alerts/alert-period";
import { describeFault, type Log } from "@tollgate/core/log";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import { Following } from "@tollgate/storage/following/following";
import type { LedgerConsumer, LedgerContinuity } from "@tollgate/storage/following/ledger-continuity";
import { beginPosition, movePositionFrom, readPosition } from "@tollgate/storage/following/stored-position";
import { isSamePosition, LEDGER_START, type LedgerPosition } from "@tollgate/storage/ledger/ledger-position";
import type { EventSummary, LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { scopeName } from "@tollgate/storage/ledger/scope-name";
import { isError } from "@tollgate/storage/ledger/status-codes";
import { storableName } from "@tollgate/storage/ledger/storable-name";
import { toScope } from "@tollgate/storage/ledger/to-scope";
import { EVENTS_CURSOR, type LedgerFollower } from "@tollgate/storage/read-model/follow-ledger";
import type { Scope } from "@tollgate/storage/read-model/queries";
import { UsageWatch } from "@tollgate/storage/read-model/watch-usage";
import type { Control } from "../kernel/context.ts";
import { AlertSettings } from "./alert-settings.ts";
import { evaluateScope } from "./evaluate-scope.ts";
import { IdleAgents } from "./idle-agents.ts";
import { LastHourWatch } from "./last-hour-watch.ts";
import type { NewCall } from "./new-call.ts";
import { ScopeFaults } from "./scope-faults.ts";
import { type OpenAlert, periodOf } from "./settle-alerts.ts";
import { UsualDays } from "./usual-days.ts";
import { UsualHours } from "./usual-hours.ts";

const ALERTS_CURSOR = "alerts:events";

/** An alert is told within a second of the call that crossed the line. */
export const ALERTS_POLL_MS = 100;
const TICK_MS = 1000;
const RETRY_AFTER_MS = 1000;
const SETTINGS_EVERY_MS = 250;
const BATCH = 5000;
const HOUR_MS = 3_600_000;
/** The time of a place in the ledger is the latest of so many events before it: one may be told of late. */
const EVENTS_TO_TELL_TIME = 100;

interface Parts {
  readonly control: Pick<Control, "db" | "engine" | "readModel" | "now" | "newId" | "wakeSender">;
  readonly database: ControlDatabase;
  readonly ledger: LedgerReader;
  /** Sums are read from what it has written: nothing is judged before it is there. */
  readonly follower: Pick<LedgerFollower, "committedSeq">;
  /** Repairs what was derived from another ledger; while it does, nothing is judged. */
  readonly continuity?: LedgerContinuity;
  readonly log: Log;
}

/** Alerts stay as they are: they were sent. It goes on after the last event that both ledgers have. */
export const alertConsumer: LedgerConsumer = {
  cursor: ALERTS_CURSOR,
  restart: async (_db, _engine, common) => common,
};

/**
 * Raises and ends alerts. Follows the ledger, never beyond the read model; looks every second at what changes without
 * a call. Its cursor is written after the alerts of what it passed: a crash repeats the looking, and the key of an
 * alert is unique, so nothing is told twice and nothing is left out. What is in memory is made again from the facts.
 */
export class AlertWatch {
  readonly #usage: UsageWatch;
  readonly #settings: AlertSettings;
  readonly #usualDays: UsualDays;
  readonly #usualHours: UsualHours;
  readonly #idle: IdleAgents;
  readonly #faults: ScopeFaults;
  readonly #lastHours = new Map<string, LastHourWatch>();
  /** Scopes that may have open alerts: as of the last tick, and those that had something to tell since. */
  #open = new Set<string>();
  /** What was said while nobody watched may have ended any alert. */
  #looksAtAllOpen = true;
  /** As it is on disk. */
  #written: LedgerPosition;
  readonly #following: Following;
  /** The place on disk is to be believed, and nothing that was counted. */
  #isLost = false;
  /** Something was left out because of a repair: it is looked at again when that is over. */
  #wasHalted = false;
  #lookAtSettings = 0;
  /** Time is known up to here: everything, once the newest event was passed, else the last one that was. */
  #knownUntil: number;
  /** Until it has passed this event, it does not know of all that was told before it began: it ends nothing. */
  #endsFrom: number;

  private constructor(
    private readonly parts: Parts,
    private position: LedgerPosition,
    scopes: readonly Scope[],
    usage: UsageWatch,
  ) {
    this.#written = position;
    this.#endsFrom = parts.ledger.newestSeq();
    this.#knownUntil = this.#timeUpTo(position);
    this.#following = new Following(parts.continuity ?? null, () => {
      this.#isLost = true;
    });
    this.#usage = usage;
    this.#settings = new AlertSettings(parts.control.db);
    this.#usualDays = new UsualDays(usage);
    this.#usualHours = new UsualHours(usage);
    this.#faults = new ScopeFaults(parts.log);
    this.#idle = new IdleAgents(parts.control, usage, this.#settings, this.#faults);
    for (const scope of scopes) this.#idle.look(scope);
  }

  /** The very first time it begins where the read model is: what was before is nobody's news. */
  static async open(parts: Parts): Promise<AlertWatch> {
    const { db } = parts.control;
    const readModel = await readPosition(db, EVENTS_CURSOR);
    await beginPosition(db, ALERTS_CURSOR, readModel ?? LEDGER_START);
    const position = (await readPosition(db, ALERTS_CURSOR)) ?? LEDGER_START;
    const usage = new UsageWatch(parts.database);
    return new AlertWatch(parts, position, await usage.scopes(), usage);
  }

  /** Until the signal. What fails is tried again from the last event that was done with. */
  async run(signal: AbortSignal): Promise<void> {
    const { log } = this.parts;
    let nextTick = 0;
    while (!signal.aborted) {
      try {
        await this.catchUp(signal);
        if (performance.now() >= nextTick) {
          await this.tick();
          nextTick = performance.now() + TICK_MS;
        }
        await Bun.sleep(ALERTS_POLL_MS);
      } catch (fault) {
        log("error", "alerts could not be watched; trying again", describeFault(fault));
        await Bun.sleep(RETRY_AFTER_MS);
      }
    }
    await this.#writeCursor().catch(fault =>
      log("warn", "the alerts' cursor could not be written", describeFault(fault)),
    );
  }

  /** Everything that the read model has committed, and what people have changed. */
  catchUp(signal?: AbortSignal): Promise<void> {
    return this.#following.attempt(() => this.#catchUp(signal));
  }

  async #catchUp(signal?: AbortSignal): Promise<void> {
    await this.#goOnFromDisk();
    const { ledger, follower } = this.parts;
    ledger.readFrom(this.position, () => {});
    while (!this.#isHalted && signal?.aborted !== true) {
      if (this.#wasHalted) this.#forget();
      const hasNews = follower.committedSeq > this.position.seq;
      if (hasNews || performance.now() >= this.#lookAtSettings) await this.#refreshSettings();
      if (!hasNews) return;
      const upTo = follower.committedSeq;
      const events = ledger
        .readFrom(this.position, ({ seq }) => ledger.summariesAfter(seq, BATCH))
        .filter(({ seq }) => seq <= upTo);
      const last = events.at(-1);
      if (last === undefined) return;
      this.#knownUntil = this.#timeAfter(events, last.seq);
      try {
        for (const { scope, calls } of byScope(events)) await this.#evaluate(scope, calls);
      } catch (fault) {
        this.#forget();
        throw fault;
      }
      if (this.#wasHalted) return;
      this.position = { seq: last.seq, eventId: last.id };
    }
  }

  /** Half of a read model says of everything that it is over, or has never been. */
  get #isHalted(): boolean {
    return this.parts.continuity?.isDegraded ?? false;
  }

  async #goOnFromDisk(): Promise<void> {
    if (!this.#isLost) return;
    const { db } = this.parts.control;
    const stored = (await readPosition(db, ALERTS_CURSOR)) ?? LEDGER_START;
    this.position = stored;
    this.#written = stored;
    this.#forget();
    this.#knownUntil = this.#timeUpTo(stored);
    this.#isLost = false;
  }

  /** What changes by time alone: alerts that are over, agents that have fallen silent. */
  async tick(): Promise<void> {
    if (this.#isHalted) return;
    await this.#refreshSettings();
    const open = await this.#openAlerts();
    this.#open = new Set(open.map(scopeName));
    const now = this.parts.control.now();
    const toLookAt = new Map<string, Scope>();
    for (const alert of open) {
      const period = periodOf(alert);
      if (this.#looksAtAllOpen || isOfLastHour(period) || isPeriodOver(period, now))
        toLookAt.set(scopeName(alert), alert);
    }
    for (const { orgId, mode } of toLookAt.values()) await this.#evaluate({ orgId, mode }, []);
    this.#looksAtAllOpen = false;
    await this.#idle.resolve();
    await this.#idle.findNew();
    for (const [name, lastHour] of this.#lastHours) {
      lastHour.advance(Math.min(now, this.#knownUntil));
      if (lastHour.isEmpty) this.#lastHours.delete(name);
    }
    await this.#writeCursor();
    this.#endsFrom = this.parts.ledger.newestSeq();
  }

  async #refreshSettings(): Promise<void> {
    try {
      for (const scope of await this.#settings.refresh()) {
        // Thresholds have counts of their own.
        this.#lastHours.delete(scopeName(scope));
        this.#idle.look(scope);
        await this.#evaluate(scope, []);
      }
    } catch (fault) {
      this.#forget();
      throw fault;
    }
    this.#lookAtSettings = performance.now() + SETTINGS_EVERY_MS;
  }

  async #evaluate(scope: Scope, calls: readonly NewCall[]): Promise<void> {
    if (this.#isHalted) {
      this.#wasHalted = true;
      return;
    }
    if (calls.length > 0) this.#idle.called(scope, calls);
    const isDone = await this.#faults.attempt(scope, () => this.#evaluateNow(scope, calls));
    // Some of the calls may be counted: all are counted again when it is asked for next.
    if (!isDone) this.#lastHours.delete(scopeName(scope));
  }

  async #evaluateNow(scope: Scope, calls: readonly NewCall[]): Promise<void> {
    const isOver = await evaluateScope({
      control: this.parts.control,
      usage: this.#usage,
      usualDays: this.#usualDays,
      usualHours: this.#usualHours,
      scope,
      settings: this.#settings.of(scope),
      lastHour: await this.#lastHourOf(scope),
      calls,
      knownUntil: this.#knownUntil,
      endsLastHour: this.position.seq >= this.#endsFrom,
      hasOpenAlerts: this.#open.has(scopeName(scope)),
    });
    if (isOver) this.#open.add(scopeName(scope));
  }

  /** Made from the facts up to the cursor: those after it are added as they are passed. */
  async #lastHourOf(scope: Scope): Promise<LastHourWatch> {
    const known = this.#lastHours.get(scopeName(scope));
    if (known !== undefined) return known;
    const lastHour = new LastHourWatch(this.#settings.of(scope).thresholds);
    const now = this.parts.control.now();
    const from = Math.min(now, this.#timeOf(this.position.seq) ?? now) - HOUR_MS;
    for await (const calls of this.#usage.callsSince(scope, from, this.position.seq)) {
      for (const call of calls) lastHour.add({ ...call, at: Math.min(call.at, now) });
    }
    this.#lastHours.set(scopeName(scope), lastHour);
    return lastHour;
  }

  #timeAfter(events: readonly EventSummary[], seq: number): number {
    if (seq >= this.parts.ledger.newestSeq()) return Number.POSITIVE_INFINITY;
    const now = this.parts.control.now();
    return events.reduce((latest, { created_at }) => Math.max(latest, Math.min(created_at, now)), 0);
  }

  #timeUpTo({ seq }: LedgerPosition): number {
    return seq >= this.#endsFrom ? Number.POSITIVE_INFINITY : (this.#timeOf(seq) ?? 0);
  }

  #timeOf(seq: number): number | null {
    const before = this.parts.ledger.summariesAfter(
      Math.max(0, seq - EVENTS_TO_TELL_TIME),
      EVENTS_TO_TELL_TIME,
    );
    return before.reduce<number | null>(
      (latest, event) => (event.seq <= seq ? Math.max(latest ?? 0, event.created_at) : latest),
      null,
    );
  }

  /** Without those of idle agents: an agent that nobody uses any more has one for ever. */
  async #openAlerts(): Promise<(OpenAlert & Scope)[]> {
    const rows = await this.parts.control.db
      .selectFrom("alerts")
      .select(["id", "org_id", "mode", "alert_key", "rule_key", "agent_id"])
      .where("resolved_at", "is", null)
      .where("rule_key", "<>", "")
      .where("type", "<>", "idle_agent")
      .execute();
    return rows.map(({ org_id, mode, ...alert }) => ({ ...alert, ...toScope({ org_id, mode }) }));
  }

  /** Once a second is enough: what is passed again tells nothing again. */
  async #writeCursor(): Promise<void> {
    if (this.#isLost || isSamePosition(this.position, this.#written)) return;
    const { db } = this.parts.control;
    // Another process may be further, and a repair may have put it back.
    if (this.#written.seq < this.position.seq) {
      await movePositionFrom(db, ALERTS_CURSOR, this.#written, this.position);
    }
    this.#written = (await readPosition(db, ALERTS_CURSOR)) ?? this.#written;
  }

  /** Half of a batch may be counted already: all that is counted is counted again. */
  #forget(): void {
    this.#wasHalted = false;
    this.#lastHours.clear();
    this.#usualDays.clear();
    this.#usualHours.clear();
    this.#settings.forget();
    this.#looksAtAllOpen = true;
    this.#endsFrom = this.parts.ledger.newestSeq();
  }
}

function byScope(events: readonly EventSummary[]) {
  const groups = new Map<string, { readonly scope: Scope; readonly calls: NewCall[] }>();
  for (const event of events) {
    const scope = { orgId: event.org_id, mode: event.mode };
    const name = scopeName(scope);
    let group = groups.get(name);
    if (group === undefined) {
      group = { scope, calls: [] };
      groups.set(name, group);
    }
    group.calls.push({
      at: event.created_at,
      agentKey: storableName(event.agent_key),
      isError: isError(event.status),
      latencyMs: event.latency_ms,
      isImported: event.source !== "gateway",
    });
  }
  return groups.values();
}
