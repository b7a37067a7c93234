import type { TollgateError } from "@tollgate/core/errors";
import { describeFault, type Log } from "@tollgate/core/log";
import { MINUTE_MS } from "@tollgate/core/time/durations";
import { startOfHour } from "@tollgate/core/time/start-of-day";
import type { GatewayCaller } from "@tollgate/storage/config/directory";
import type { Refusal, RefusalBatch, RefusalCount } from "@tollgate/storage/ledger/refusal-store";
import { scopeName } from "@tollgate/storage/ledger/scope";
import { BudgetExceeded } from "../budgets/budget-refusal.ts";

interface RefusalSink {
  recordRefusals(batch: RefusalBatch, nowMs: number): Promise<void>;
}

/** Of each organization, minute and reason: the others are only counted. */
export const MAX_LISTED_A_MINUTE = 20;
/** Combinations of reason, agent and key that an organization's calls are counted by in an hour. */
export const MAX_COUNTED_APART = 200;
const WRITE_EVERY_MS = 1000;
/** Rows of one transaction: calls must not wait for a large one. */
const WRITTEN_AT_ONCE = 200;

type PendingCount = Omit<RefusalCount, "calls"> & { calls: number };

/** An organization's refused calls of the current hour. */
interface ScopeRefusals {
  readonly counts: Map<string, PendingCount>;
  minute: number;
  /** By reason. */
  readonly listed: Map<string, number>;
}

/**
 * Records calls that the gateway refused, off their path: noting one changes two maps, and once a second the sums go to
 * the ledger. However many calls are refused, memory and rows are bounded by the number of organizations. Counts are
 * exact, except for what a killed process has not written yet.
 */
export class RefusalLog {
  readonly #scopes = new Map<string, ScopeRefusals>();
  #hour = -1;
  #refusals: Refusal[] = [];
  /** Those with calls that are not written yet. */
  #counts: PendingCount[] = [];
  #timer: ReturnType<typeof setTimeout> | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly sink: RefusalSink,
    private readonly now: () => number,
    private readonly log: Log,
  ) {}

  note(caller: GatewayCaller, agentKey: string | null, error: TollgateError): void {
    const nowMs = this.now();
    const scope = this.#scopeAt(caller, nowMs);
    this.#count(scope, caller, agentKey ?? "", error.code);
    const listed = scope.listed.get(error.code) ?? 0;
    if (listed < MAX_LISTED_A_MINUTE) {
      scope.listed.set(error.code, listed + 1);
      this.#refusals.push(refusalOf(caller, agentKey, error, nowMs));
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      void this.flush();
    }, WRITE_EVERY_MS).unref();
  }

  /** Resolves once everything noted so far is written, or given up. */
  flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.flush();
  }

  #scopeAt(caller: GatewayCaller, nowMs: number): ScopeRefusals {
    const hour = startOfHour(nowMs);
    if (hour !== this.#hour) {
      this.#hour = hour;
      this.#scopes.clear();
    }
    const name = scopeName(caller);
    const minute = Math.floor(nowMs / MINUTE_MS);
    let scope = this.#scopes.get(name);
    if (scope === undefined) {
      scope = { counts: new Map(), minute, listed: new Map() };
      this.#scopes.set(name, scope);
    }
    if (scope.minute !== minute) {
      scope.minute = minute;
      scope.listed.clear();
    }
    return scope;
  }

  /** Agents are named by callers, in any number: beyond the maximum they are counted together, by reason. */
  #count(scope: ScopeRefusals, caller: GatewayCaller, agentKey: string, reason: string): void {
    const own = `${reason}\n${caller.keyId}\n${agentKey}`;
    const isCounted = scope.counts.has(own) || scope.counts.size < MAX_COUNTED_APART;
    const name = isCounted ? own : reason;
    let count = scope.counts.get(name);
    if (count === undefined) {
      count = {
        orgId: caller.orgId,
        mode: caller.mode,
        hour: this.#hour,
        reason,
        agentKey: isCounted ? agentKey : "",
        keyId: isCounted ? caller.keyId : "",
        calls: 0,
      };
      scope.counts.set(name, count);
    }
    if (count.calls === 0) this.#counts.push(count);
    count.calls++;
  }

  async #write(): Promise<void> {
    const refusals = this.#refusals;
    const counts = this.#counts.map(count => ({ ...count }));
    for (const count of this.#counts) count.calls = 0;
    this.#refusals = [];
    this.#counts = [];
    const slices = Math.ceil(Math.max(refusals.length, counts.length) / WRITTEN_AT_ONCE);
    try {
      for (let slice = 0; slice < slices; slice++) {
        const from = slice * WRITTEN_AT_ONCE;
        await this.sink.recordRefusals(
          {
            refusals: refusals.slice(from, from + WRITTEN_AT_ONCE),
            counts: counts.slice(from, from + WRITTEN_AT_ONCE),
          },
          this.now(),
        );
      }
    } catch (fault) {
      // Kept, they would grow for as long as the disk is full.
      this.log("error", "refused calls could not be recorded", describeFault(fault));
    }
  }
}

function refusalOf(
  caller: GatewayCaller,
  agentKey: string | null,
  error: TollgateError,
  createdAtMs: number,
): Refusal {
  const { limit } = error.fields;
  return {
    orgId: caller.orgId,
    mode: caller.mode,
    createdAtMs,
    keyId: caller.keyId,
    agentKey,
    reason: error.code,
    limit: typeof limit === "number" ? limit : null,
    budgetId: error instanceof BudgetExceeded ? error.budgetId : null,
  };
}
