import { isOfLastHour, isPeriodOver } from "@tollgate/core/alerts/alert-period";
import { isVerification } from "@tollgate/core/event";
import type { Log } from "@tollgate/core/log";
import { HOUR_MS } from "@tollgate/core/time/durations";
import type { EventSummary } from "@tollgate/storage/ledger/event-parts";
import type { LedgerPosition } from "@tollgate/storage/ledger/ledger-position";
import { type Scope, scopeName, toScope } from "@tollgate/storage/ledger/scope";
import { isError } from "@tollgate/storage/ledger/status-codes";
import { storableName } from "@tollgate/storage/ledger/storable-name";
import type { UsageWatch } from "@tollgate/storage/read-model/reading/watch-usage";
import type { Control } from "../../kernel/context.ts";
import type { AlertClock } from "./alert-clock.ts";
import { AlertSettings } from "./alert-settings.ts";
import { evaluateScope } from "./evaluate-scope.ts";
import { IdleAgents } from "./idle-agents.ts";
import { LastHourWatch } from "./last-hour-watch.ts";
import type { NewCall } from "./new-call.ts";
import { ScopeFaults } from "./scope-faults.ts";
import { type OpenAlert, periodOf } from "./settle-alerts.ts";
import { UsualDays } from "./usual-days.ts";
import { UsualHours } from "./usual-hours.ts";

export interface EvaluatorParts {
  readonly control: Pick<Control, "db" | "engine" | "readModel" | "now" | "newId" | "wakeSender">;
  readonly usage: UsageWatch;
  readonly clock: AlertClock;
  /** The last event that was evaluated. */
  readonly position: () => LedgerPosition;
  /** true: derived data is being rebuilt; evaluating partial sums would raise and resolve the wrong alerts. */
  readonly isHalted: () => boolean;
  readonly log: Log;
}

/** Evaluates the alert rules of scopes: with new calls, with changed settings, and as time passes. */
export class AlertEvaluator {
  readonly #settings: AlertSettings;
  readonly #usualDays: UsualDays;
  readonly #usualHours: UsualHours;
  readonly #idle: IdleAgents;
  readonly #faults: ScopeFaults;
  readonly #lastHours = new Map<string, LastHourWatch>();
  #openAlerts: readonly (OpenAlert & Scope)[] = [];
  /** Scopes that may have open alerts: those of the above, and those that have raised one since. */
  #open = new Set<string>();
  /** Settings changed while this process was down may have resolved any alert. */
  #isEveryOpenAlertDue = true;
  #wasHalted = false;

  constructor(
    private readonly parts: EvaluatorParts,
    scopes: readonly Scope[],
  ) {
    const { control, usage, log } = parts;
    this.#settings = new AlertSettings(control.db);
    this.#usualDays = new UsualDays(usage);
    this.#usualHours = new UsualHours(usage);
    this.#faults = new ScopeFaults(log);
    this.#idle = new IdleAgents(control, usage, this.#settings, this.#faults);
    for (const scope of scopes) this.#idle.recheck(scope);
  }

  /** Resolves with false if a rebuild began in the meantime: these events must be evaluated again. */
  async evaluateEvents(events: readonly EventSummary[], upTo: LedgerPosition): Promise<boolean> {
    await this.refreshSettings();
    this.parts.clock.pass(events, upTo);
    for (const { scope, calls } of byScope(events)) await this.#evaluate(scope, calls);
    return !this.#wasHalted;
  }

  async refreshSettings(): Promise<void> {
    if (this.#wasHalted) this.forget();
    try {
      for (const scope of await this.#settings.refresh()) {
        // It counts per threshold, so it depends on the settings.
        this.#lastHours.delete(scopeName(scope));
        this.#idle.recheck(scope);
        await this.#evaluate(scope, []);
      }
    } catch (fault) {
      this.forget();
      throw fault;
    }
  }

  /**
   * Handles what changes with time alone: alerts that are over, agents that have become idle. `isChanged`: the database
   * may have changed since the last tick.
   */
  async tick(isChanged: boolean): Promise<void> {
    if (isChanged || this.#wasHalted) await this.refreshSettings();
    const now = this.parts.control.now();
    if (isChanged || this.#isEveryOpenAlertDue) {
      this.#openAlerts = await this.#readOpenAlerts();
      this.#open = new Set(this.#openAlerts.map(scopeName));
    }
    const due = new Map<string, Scope>();
    for (const alert of this.#openAlerts) {
      const period = periodOf(alert);
      if (this.#isEveryOpenAlertDue || isOfLastHour(period) || isPeriodOver(period, now))
        due.set(scopeName(alert), alert);
    }
    for (const { orgId, mode } of due.values()) await this.#evaluate({ orgId, mode }, []);
    this.#isEveryOpenAlertDue = false;
    await this.#idle.resolve();
    await this.#idle.findNew();
    for (const [name, lastHour] of this.#lastHours) {
      lastHour.advance(Math.min(now, this.parts.clock.knownUntil));
      if (lastHour.isEmpty) this.#lastHours.delete(name);
    }
  }

  /** Discards all counts, because part of a batch may already be in them. */
  forget(): void {
    this.#wasHalted = false;
    this.#lastHours.clear();
    this.#usualDays.clear();
    this.#usualHours.clear();
    this.#settings.forget();
    this.#isEveryOpenAlertDue = true;
    this.parts.clock.beginBacklog();
  }

  async #evaluate(scope: Scope, calls: readonly NewCall[]): Promise<void> {
    if (this.parts.isHalted()) {
      this.#wasHalted = true;
      return;
    }
    if (!this.#settings.isActive(scope)) return;
    if (calls.length > 0) this.#idle.called(scope, calls);
    const isDone = await this.#faults.attempt(scope, () => this.#evaluateNow(scope, calls));
    // Some of the calls may already be counted, so the next evaluation recounts the hour.
    if (!isDone) this.#lastHours.delete(scopeName(scope));
  }

  async #evaluateNow(scope: Scope, calls: readonly NewCall[]): Promise<void> {
    const { control, usage, clock, position } = this.parts;
    const hasAlert = await evaluateScope({
      control,
      usage,
      usualDays: this.#usualDays,
      usualHours: this.#usualHours,
      scope,
      settings: this.#settings.of(scope),
      lastHour: await this.#lastHourOf(scope),
      calls,
      knownUntil: clock.knownUntil,
      endsLastHour: clock.isPastBacklog(position()),
      hasOpenAlerts: this.#open.has(scopeName(scope)),
      now: control.now(),
    });
    if (hasAlert) this.#open.add(scopeName(scope));
  }

  /** Counts the facts up to the position; later calls are added as they are evaluated. */
  async #lastHourOf(scope: Scope): Promise<LastHourWatch> {
    const known = this.#lastHours.get(scopeName(scope));
    if (known !== undefined) return known;
    const { control, usage, clock } = this.parts;
    const position = this.parts.position();
    const lastHour = new LastHourWatch(this.#settings.of(scope).thresholds);
    const now = control.now();
    const from = Math.min(now, clock.timeOf(position) ?? now) - HOUR_MS;
    for await (const calls of usage.callsSince(scope, from, position.seq)) {
      for (const call of calls) lastHour.add({ ...call, at: Math.min(call.at, now) });
    }
    this.#lastHours.set(scopeName(scope), lastHour);
    return lastHour;
  }

  /** Except those about idle agents, which `IdleAgents` resolves. */
  async #readOpenAlerts(): Promise<(OpenAlert & Scope)[]> {
    const rows = await this.parts.control.db
      .selectFrom("alerts")
      .select(["id", "org_id", "mode", "alert_key", "rule_key", "agent_id"])
      .where("resolved_at", "is", null)
      .where("rule_key", "<>", "")
      .where("type", "<>", "idle_agent")
      .execute();
    return rows.map(({ org_id, mode, ...alert }) => ({ ...alert, ...toScope({ org_id, mode }) }));
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
    // Its cost is evaluated with the organization's, but it says nothing about an agent.
    if (isVerification(event.source)) continue;
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
