import { type Budget, isBlocking } from "@tollgate/core/budgets/budget";
import { DatabaseUnavailable } from "@tollgate/storage/engine/database-unavailable";
import {
  type Allowance,
  type AllowanceRequest,
  grantShare,
  type Share,
} from "@tollgate/storage/shared-ledger/grant-share";
import type { Machine, MachineTime } from "../waiting/machine-time.ts";

/** As in PostgreSQL: how long a gateway waits for an answer, and how long an idle transaction may take. */
const MAX_ANSWER_MS = 2000;
const MAX_IDLE_MS = 2000;
const REPORTS_AWAITED_MS = 30_000;
const REPORT_PATIENCE_MS = 15_000;
export const NODE_SILENCE_MS = 10_000;

/** The budgets as they are stored, by id. */
export interface StoredBudgets {
  /** Each change has its own. */
  readonly revision: number;
  readonly budgets: ReadonlyMap<string, Budget>;
}

/** A gateway and its connection. */
export interface BankClient {
  readonly id: string;
  readonly machine: Machine;
  readonly isCutOff: boolean;
  readonly losesAnswers: boolean;
  nextDelayMs(): number;
}

/** One budget in one period. */
export type SlotKey = Pick<AllowanceRequest, "budgetId" | "sinceMs" | "period">;

export function nameOf({ budgetId, sinceMs, period }: SlotKey): string {
  return `${budgetId} since ${sinceMs} in ${period}`;
}

interface Slot {
  readonly key: SlotKey;
  readonly rows: Map<string, Row>;
}

interface Row extends Share {
  /** Reported by the control plane. */
  readonly isAccountedFor: boolean;
  readonly used_microcents: number;
  readonly asked_at: number;
  readonly reported_since: number | null;
}

/** What a node has shipped of a slot. */
type ShippedOf = (nodeId: string, slot: string) => number;

/** What a transaction has read of the budget and of the other nodes. */
type ReadBudget = Parameters<typeof grantShare>[3];

interface Observer {
  committed(client: BankClient, request: AllowanceRequest): void;
  /** Just before the gateway continues with the answer. */
  answered(client: BankClient, request: AllowanceRequest): void;
}

/**
 * The bank with the rules of `PostgresAllowanceBank`, in memory. Transactions take turns for each period of a budget; what
 * they read of the budget itself and of other nodes' reports is from the moment of their turn, and may have changed when they
 * commit. PostgreSQL's clock is the virtual time.
 */
export class SimulatedBank {
  readonly #slots = new Map<string, Slot>();
  readonly #turns = new Map<string, (() => void)[]>();
  readonly lastSeenMs = new Map<string, number>();
  readonly #limits = new Map<string, { readonly limitMicrocents: number; readonly atMs: number }[]>();
  readonly #returned = new Map<string, number>();
  #stored: StoredBudgets = { revision: 0, budgets: new Map() };

  constructor(
    private readonly time: MachineTime,
    private readonly observer: Observer,
  ) {}

  get stored(): StoredBudgets {
    return this.#stored;
  }

  /** As the trigger does: a budget that is reset becomes blocking once more. */
  change(budget: Budget): void {
    const before = this.#stored.budgets.get(budget.id);
    const since = before?.sinceMs === budget.sinceMs ? before.blockingSinceMs : null;
    const blockingSinceMs = isBlocking(budget) ? (since ?? this.time.nowMs) : null;
    this.#store(budget.id, { ...budget, blockingSinceMs });
    const limits = this.#limits.get(budget.id) ?? [];
    limits.push({ limitMicrocents: budget.limitMicrocents, atMs: this.time.nowMs });
    this.#limits.set(budget.id, limits);
  }

  delete(budgetId: string): void {
    this.#store(budgetId, null);
  }

  #store(budgetId: string, budget: Budget | null): void {
    const budgets = new Map(this.#stored.budgets);
    if (budget === null) budgets.delete(budgetId);
    else budgets.set(budgetId, budget);
    this.#stored = { revision: this.#stored.revision + 1, budgets };
  }

  /** The highest limit of the budget that was stored at any time since then. */
  highestLimitSince(budgetId: string, atMs: number): number {
    let highest = 0;
    const limits = this.#limits.get(budgetId) ?? [];
    for (const [index, { limitMicrocents }] of limits.entries()) {
      const endsAtMs = limits[index + 1]?.atMs ?? Number.POSITIVE_INFINITY;
      if (endsAtMs >= atMs) highest = Math.max(highest, limitMicrocents);
    }
    return highest;
  }

  isAccountedFor(nodeId: string, slot: string): boolean {
    return this.#slots.get(slot)?.rows.get(nodeId)?.isAccountedFor === true;
  }

  heldBy(nodeId: string, slot: string): number {
    return this.#slots.get(slot)?.rows.get(nodeId)?.granted_microcents ?? 0;
  }

  /** What was returned when dead nodes were removed. They may have used it. */
  returned(slot: string): number {
    return this.#returned.get(slot) ?? 0;
  }

  lastAskedMs(nodeId: string): number {
    const rows = [...this.#slots.values()].map(({ rows }) => rows.get(nodeId)?.asked_at ?? 0);
    return Math.max(0, ...rows);
  }

  /** As `svc nodes remove --force` does, one minute after the node was last seen. */
  remove(nodeId: string, currentPeriodOf: (budget: Budget) => string, shippedOf: ShippedOf): void {
    this.lastSeenMs.delete(nodeId);
    for (const budget of this.stored.budgets.values()) {
      const { id: budgetId, sinceMs } = budget;
      this.#slot({ budgetId, sinceMs, period: currentPeriodOf(budget) });
    }
    for (const [name, { key, rows }] of this.#slots) {
      if (this.stored.budgets.get(key.budgetId)?.sinceMs !== key.sinceMs) continue;
      const spent = shippedOf(nodeId, name);
      this.#inTurn(name, release => {
        const own = rows.get(nodeId);
        const granted =
          own === undefined ? spent : Math.min(own.granted_microcents, Math.max(own.used_microcents, spent));
        if (own !== undefined) {
          rows.set(nodeId, { ...own, granted_microcents: granted, is_last: 0 });
          this.#returned.set(name, this.returned(name) + own.granted_microcents - granted);
        } else if (spent > 0) {
          const amounts = { granted_microcents: spent, used_microcents: spent, settled_microcents: spent };
          const unknown = { lost_microcents: 0, is_last: 0, asked_at: 0, reported_since: null };
          rows.set(nodeId, { node_id: nodeId, ...amounts, ...unknown, isAccountedFor: true });
        }
        release();
      });
    }
  }

  ask(client: BankClient, request: AllowanceRequest): Promise<Allowance> {
    const { time } = this;
    const { promise, resolve, reject } = Promise.withResolvers<Allowance>();
    let isLate = false;
    // A gateway that starts again is another process: it hears no answer to what it asked before.
    const { machine } = client;
    const isStuck = () => client.isCutOff || machine.isDead || machine.frozenUntilMs > time.nowMs;
    time.after(MAX_ANSWER_MS, machine, () => {
      isLate = true;
      reject(new DatabaseUnavailable());
    });
    time.after(client.nextDelayMs(), null, () => {
      if (isStuck()) return;
      this.#inTurn(nameOf(request), release => {
        const rollBack = () => time.after(MAX_IDLE_MS, null, release);
        if (isStuck()) return rollBack();
        if (isLate) return release();
        const read = this.#read(client.id, request);
        time.after(client.nextDelayMs(), null, () => {
          if (isStuck()) return rollBack();
          const answer = this.#commit(client, request, read);
          release();
          if (client.losesAnswers) return;
          time.after(client.nextDelayMs(), machine, () => {
            if (client.isCutOff || isLate) return;
            this.observer.answered(client, request);
            resolve(answer);
          });
        });
      });
    });
    return promise;
  }

  /** As the leading control plane does. */
  accountForSilent(shippedOf: ShippedOf): void {
    for (const [name, { key, rows }] of this.#slots) {
      const budget = this.stored.budgets.get(key.budgetId);
      const since = budget?.blockingSinceMs ?? null;
      if (since === null || budget?.sinceMs !== key.sinceMs) continue;
      if (![...rows.values()].some(({ asked_at }) => asked_at >= since)) continue;
      const isOverdue = since < this.time.nowMs - REPORT_PATIENCE_MS;
      for (const [nodeId, lastSeenMs] of this.lastSeenMs) {
        if (!isOverdue && lastSeenMs >= this.time.nowMs - NODE_SILENCE_MS) continue;
        if (rows.get(nodeId)?.reported_since === since) continue;
        this.#inTurn(name, release => {
          const own = rows.get(nodeId);
          if (own?.reported_since !== since) {
            rows.set(nodeId, reportedFor(nodeId, own, shippedOf(nodeId, name), since));
          }
          release();
        });
      }
    }
  }

  #read(nodeId: string, request: AllowanceRequest): ReadBudget {
    const budget = this.stored.budgets.get(request.budgetId);
    const rows = this.#slots.get(nameOf(request))?.rows;
    const since = budget?.blockingSinceMs ?? null;
    const isAwaited = since !== null && since > this.time.nowMs - REPORTS_AWAITED_MS;
    const awaitsReports =
      isAwaited &&
      [...this.lastSeenMs.keys()].some(id => id !== nodeId && rows?.get(id)?.reported_since !== since);
    return { limitMicrocents: budget?.limitMicrocents ?? null, awaitsReports };
  }

  #commit(client: BankClient, request: AllowanceRequest, read: ReadBudget): Allowance {
    const { rows } = this.#slot(request);
    const { answer, row } = grantShare(request, [...rows.values()], client.id, read);
    rows.set(client.id, {
      ...row,
      node_id: client.id,
      asked_at: this.time.nowMs,
      reported_since: request.blockingSinceMs,
      isAccountedFor: false,
    });
    this.observer.committed(client, request);
    return answer;
  }

  #slot(key: SlotKey): Slot {
    const name = nameOf(key);
    const known = this.#slots.get(name);
    if (known !== undefined) return known;
    const slot = { key, rows: new Map<string, Row>() };
    this.#slots.set(name, slot);
    return slot;
  }

  #inTurn(slot: string, run: (release: () => void) => void): void {
    const waiting = this.#turns.get(slot);
    const turn = () =>
      run(() => {
        const next = this.#turns.get(slot)?.shift();
        if (next === undefined) this.#turns.delete(slot);
        else next();
      });
    if (waiting !== undefined) {
      waiting.push(turn);
      return;
    }
    this.#turns.set(slot, []);
    turn();
  }
}

/** The control plane reports what a silent node has shipped. */
function reportedFor(nodeId: string, own: Row | undefined, spent: number, since: number): Row {
  return {
    node_id: nodeId,
    granted_microcents: Math.max(own?.granted_microcents ?? 0, spent),
    used_microcents: Math.max(own?.used_microcents ?? 0, spent),
    settled_microcents: Math.max(own?.settled_microcents ?? 0, spent),
    lost_microcents: own?.lost_microcents ?? 0,
    is_last: own?.is_last ?? 0,
    asked_at: Math.max(own?.asked_at ?? 0, since),
    reported_since: since,
    isAccountedFor: true,
  };
}
