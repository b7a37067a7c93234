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

/** The budget as it is stored. */
export interface StoredBudget {
  readonly budget: Budget;
  /** Each change has its own. */
  readonly revision: number;
  /** null: it does not block. */
  readonly blockingSinceMs: number | null;
}

/** A gateway and its connection. */
export interface BankClient {
  readonly id: string;
  readonly machine: Machine;
  readonly isCutOff: boolean;
  readonly losesAnswers: boolean;
  nextDelayMs(): number;
}

interface Row extends Share {
  /** Reported by the control plane. */
  readonly isAccountedFor: boolean;
  readonly used_microcents: number;
  readonly asked_at: number;
  readonly reported_since: number | null;
}

/** What a transaction has read of the budget and of the other nodes. */
type ReadBudget = Parameters<typeof grantShare>[3];

interface Observer {
  committed(client: BankClient, request: AllowanceRequest): void;
  /** Just before the gateway continues with the answer. */
  answered(client: BankClient, request: AllowanceRequest): void;
}

/**
 * The bank with the rules of `PostgresAllowanceBank`, in memory. Transactions take turns for each period of the budget; what
 * they read of the budget itself and of other nodes' reports is from the moment of their turn, and may have changed when they
 * commit. PostgreSQL's clock is the virtual time.
 */
export class SimulatedBank {
  readonly #rows = new Map<string, Map<string, Row>>();
  readonly #turns = new Map<string, (() => void)[]>();
  readonly lastSeenMs = new Map<string, number>();
  readonly #history: (StoredBudget & { readonly atMs: number })[] = [];

  constructor(
    private readonly time: MachineTime,
    budget: Budget,
    private readonly observer: Observer,
  ) {
    this.change(budget);
  }

  get stored(): StoredBudget {
    const stored = this.#history.at(-1);
    if (stored === undefined) throw new Error("no budget");
    return stored;
  }

  change(budget: Budget): void {
    const before = this.#history.at(-1);
    const since = before?.blockingSinceMs ?? this.time.nowMs;
    const blockingSinceMs = isBlocking(budget) ? since : null;
    this.#history.push({
      budget: { ...budget, blockingSinceMs },
      revision: this.#history.length,
      blockingSinceMs,
      atMs: this.time.nowMs,
    });
  }

  /** The highest limit that was stored at any time since then. */
  highestLimitSince(atMs: number): number {
    let highest = 0;
    for (const [index, { budget }] of this.#history.entries()) {
      const endsAtMs = this.#history[index + 1]?.atMs ?? Number.POSITIVE_INFINITY;
      if (endsAtMs >= atMs) highest = Math.max(highest, budget.limitMicrocents);
    }
    return highest;
  }

  isAccountedFor(nodeId: string, period: string): boolean {
    return this.#rows.get(period)?.get(nodeId)?.isAccountedFor === true;
  }

  heldBy(nodeId: string, period: string): number {
    return this.#rows.get(period)?.get(nodeId)?.granted_microcents ?? 0;
  }

  ask(client: BankClient, request: AllowanceRequest): Promise<Allowance> {
    const { time } = this;
    const { promise, resolve, reject } = Promise.withResolvers<Allowance>();
    let isLate = false;
    const isStuck = () =>
      client.isCutOff || client.machine.isDead || client.machine.frozenUntilMs > time.nowMs;
    time.after(MAX_ANSWER_MS, client.machine, () => {
      isLate = true;
      reject(new DatabaseUnavailable());
    });
    time.after(client.nextDelayMs(), null, () => {
      if (isStuck()) return;
      this.#inTurn(request.period, release => {
        const rollBack = () => time.after(MAX_IDLE_MS, null, release);
        if (isStuck()) return rollBack();
        if (isLate) return release();
        const read = this.#read(client.id, request);
        time.after(client.nextDelayMs(), null, () => {
          if (isStuck()) return rollBack();
          const answer = this.#commit(client, request, read);
          release();
          if (client.losesAnswers) return;
          time.after(client.nextDelayMs(), client.machine, () => {
            if (client.isCutOff || isLate) return;
            this.observer.answered(client, request);
            resolve(answer);
          });
        });
      });
    });
    return promise;
  }

  /** As the leading control plane does. `shippedOf`: what the node has shipped of the period. */
  accountForSilent(shippedOf: (nodeId: string, period: string) => number): void {
    const { blockingSinceMs: since } = this.stored;
    if (since === null) return;
    const isOverdue = since < this.time.nowMs - REPORT_PATIENCE_MS;
    for (const [period, rows] of this.#rows) {
      if (![...rows.values()].some(({ asked_at }) => asked_at >= since)) continue;
      for (const [nodeId, lastSeenMs] of this.lastSeenMs) {
        if (!isOverdue && lastSeenMs >= this.time.nowMs - NODE_SILENCE_MS) continue;
        const row = rows.get(nodeId);
        if (row?.reported_since === since) continue;
        this.#inTurn(period, release => {
          const spent = shippedOf(nodeId, period);
          const own = rows.get(nodeId);
          if (own?.reported_since !== since) {
            rows.set(nodeId, {
              node_id: nodeId,
              granted_microcents: Math.max(own?.granted_microcents ?? 0, spent),
              used_microcents: Math.max(own?.used_microcents ?? 0, spent),
              settled_microcents: Math.max(own?.settled_microcents ?? 0, spent),
              lost_microcents: own?.lost_microcents ?? 0,
              is_last: own?.is_last ?? 0,
              asked_at: Math.max(own?.asked_at ?? 0, since),
              reported_since: since,
              isAccountedFor: true,
            });
          }
          release();
        });
      }
    }
  }

  #read(nodeId: string, { period }: AllowanceRequest): ReadBudget {
    const { budget, blockingSinceMs: since } = this.stored;
    const rows = this.#rows.get(period);
    const isAwaited = since !== null && since > this.time.nowMs - REPORTS_AWAITED_MS;
    const awaitsReports =
      isAwaited &&
      [...this.lastSeenMs.keys()].some(id => id !== nodeId && rows?.get(id)?.reported_since !== since);
    return { limitMicrocents: budget.limitMicrocents, awaitsReports };
  }

  #commit(client: BankClient, request: AllowanceRequest, read: ReadBudget): Allowance {
    const rows = this.#rows.get(request.period) ?? new Map<string, Row>();
    this.#rows.set(request.period, rows);
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

  #inTurn(period: string, run: (release: () => void) => void): void {
    const waiting = this.#turns.get(period);
    const turn = () =>
      run(() => {
        const next = this.#turns.get(period)?.shift();
        if (next === undefined) this.#turns.delete(period);
        else next();
      });
    if (waiting !== undefined) {
      waiting.push(turn);
      return;
    }
    this.#turns.set(period, []);
    turn();
  }
}
