import { appliesTo, type Budget, isBlocking } from "@tollgate/core/budgets/budget";
import { microcents } from "@tollgate/core/money/money";
import { sampleBudget } from "../rows/sample-budget.ts";
import { MachineTime } from "../waiting/machine-time.ts";
import { nameOf, SimulatedBank } from "./simulated-bank.ts";
import type { SimulatedCall } from "./simulated-calls.ts";
import { SimulatedGateway } from "./simulated-gateway.ts";

const CALM_DELAY_MS = 20;
/** As `svc nodes remove` requires. */
const REMOVABLE_AFTER_MS = 60_000;

const scopes = {
  organization: {},
  agent: { agentKey: "default" },
  key: { keyId: "key" },
  customer: { customerId: "customer" },
} as const;

export interface SimulatedBudget {
  readonly scope: keyof typeof scopes;
  readonly period: "daily" | "monthly";
  readonly limit: number;
  readonly isStrict: boolean;
  readonly isBlocking: boolean;
}

export interface Simulated {
  /** One: it asks no bank. */
  readonly nodes: number;
  readonly budgets: readonly SimulatedBudget[];
  /** A month may end with the day. */
  readonly midnight: "2026-11-16" | "2026-12-01";
  readonly startsBeforeMidnightMs: number;
  readonly skewsMs: readonly number[];
  /** Used in turn. */
  readonly delaysMs: readonly number[];
}

/**
 * Gateways that share budgets, in virtual time: the real admission and the real allowances, with a bank in memory. Every
 * admission under budgets that block is checked: on one machine it would have been admitted, too, knowing all that the bank
 * could know.
 */
export class SimulatedGateways {
  readonly time = new MachineTime();
  readonly bank: SimulatedBank;
  readonly isShared: boolean;
  readonly gateways: SimulatedGateway[] = [];
  readonly stats = { admitted: 0, refused: 0, requests: 0, checked: 0 };
  /** What must not have happened. */
  readonly violations: string[] = [];
  /** The network is fast. */
  isCalm = false;
  #delays = 0;
  readonly #startsAtMs: number;
  /** The ids of the planned budgets. One that replaces another has a new id. */
  readonly #ids: string[] = [];

  constructor(readonly plan: Simulated) {
    this.#startsAtMs = Date.parse(`${plan.midnight}T00:00:00Z`) - plan.startsBeforeMidnightMs;
    this.isShared = plan.nodes > 1;
    this.bank = new SimulatedBank(this.time, {
      committed: (client, request) => this.#gateway(client.id).committed(request),
      answered: (client, request) => this.#gateway(client.id).answered(request),
    });
    for (const [index, budget] of plan.budgets.entries()) this.#create(index, budget, 0);
    this.time.install();
    for (let index = 0; index < plan.nodes; index++) {
      const skewMs = plan.skewsMs[index % plan.skewsMs.length] ?? 0;
      const now = () => this.#startsAtMs + skewMs + this.time.nowMs;
      const gateway = new SimulatedGateway(`node ${index}`, this, now);
      this.gateways.push(gateway);
      gateway.start();
    }
    const account = () => {
      this.bank.accountForSilent((id, slot) => this.#gateway(id).shipped(slot));
      this.time.after(1000, null, account);
    };
    this.time.after(1000, null, account);
  }

  close(): void {
    this.time.uninstall();
  }

  nextDelayMs(): number {
    const { delaysMs } = this.plan;
    const delayMs = delaysMs[this.#delays++ % delaysMs.length] ?? 0;
    return this.isCalm ? delayMs % CALM_DELAY_MS : delayMs;
  }

  change(index: number, change: Partial<Budget>): void {
    const budget = this.#budget(index);
    if (budget === undefined) return;
    this.bank.change({ ...budget, ...change });
    this.#announce();
  }

  /** As a budget is resumed with `reset_spending`. */
  reset(index: number): void {
    const { sinceMs } = this.#budget(index) ?? { sinceMs: 0 };
    this.change(index, { isPaused: false, sinceMs: Math.max(this.#nowMs, sinceMs + 1) });
  }

  /** Deletes it, and creates another one like it. */
  replace(index: number): void {
    const planned = this.plan.budgets[index % this.plan.budgets.length];
    const budget = this.#budget(index);
    if (planned === undefined || budget === undefined) return;
    this.bank.delete(budget.id);
    this.#create(index % this.plan.budgets.length, planned, this.#nowMs);
    this.#announce();
  }

  /** The node dies, unless it is dead, and is removed as soon as that is possible. */
  async remove(gateway: SimulatedGateway): Promise<void> {
    gateway.die();
    if (!this.bank.lastSeenMs.has(gateway.id)) return;
    const lastSeenMs = this.bank.lastSeenMs.get(gateway.id) ?? 0;
    const lastMs = Math.max(lastSeenMs, this.bank.lastAskedMs(gateway.id));
    await this.time.pass(Math.max(0, lastMs + REMOVABLE_AFTER_MS - this.time.nowMs));
    this.bank.remove(
      gateway.id,
      budget => gateway.currentSlot(budget).period,
      (id, slot) => this.#gateway(id).shipped(slot),
    );
  }

  /** Every budget blocks, and nothing is broken any more, except for dead nodes. */
  calm(): void {
    this.isCalm = true;
    for (const gateway of this.gateways) {
      gateway.isCutOff = false;
      gateway.losesAnswers = false;
      gateway.hearSoon();
    }
    for (const index of this.plan.budgets.keys()) {
      const budget = this.#budget(index);
      if (budget !== undefined && !isBlocking(budget)) {
        this.change(index, { enforcement: "hard_block", isPaused: false });
      }
    }
  }

  /**
   * What all have used of the slot, as far as a grant to `reader` had to cover it: without what it could not know, and
   * without the excess of the one call that may exceed what is left, which is known only to its node.
   */
  covered(reader: SimulatedGateway, slot: string): number {
    if (!this.isShared) return reader.used(slot);
    let total = 0;
    let excess = 0;
    for (const gateway of this.gateways) {
      total += gateway.used(slot) - gateway.unknownTo(reader, slot);
      excess = Math.max(excess, gateway.excess(slot));
    }
    return total - excess;
  }

  /** Call when no call is open, and none was made for long: nothing stays reserved, and gateways hold only what they have used. */
  checkIdle(): void {
    for (const gateway of this.gateways) {
      if (!gateway.isRunning) continue;
      gateway.checkReleased();
      for (const budget of this.bank.stored.budgets.values()) {
        const slot = nameOf(gateway.currentSlot(budget));
        const held = this.bank.heldBy(gateway.id, slot);
        const used = gateway.used(slot);
        if (held > used) this.violations.push(`${gateway.id} keeps ${held} of ${slot}, and has used ${used}`);
      }
    }
  }

  /** What is left for the call: dead nodes keep what they were granted, and the others what they have used. */
  leftFor(gateway: SimulatedGateway, { agent, customer }: SimulatedCall): number {
    let least = Number.POSITIVE_INFINITY;
    for (const budget of this.bank.stored.budgets.values()) {
      if (!appliesTo(budget, agent, "key", customer, null)) continue;
      const slot = nameOf(gateway.currentSlot(budget));
      let left: number = budget.limitMicrocents;
      for (const one of this.gateways) {
        const used = one.used(slot);
        left -= one.isRunning ? used : Math.max(used, this.bank.heldBy(one.id, slot));
      }
      least = Math.min(least, left);
    }
    return least;
  }

  get #nowMs(): number {
    return this.#startsAtMs + this.time.nowMs;
  }

  #create(index: number, { scope, limit, ...planned }: SimulatedBudget, sinceMs: number): void {
    const id = `${scope} ${index}${sinceMs === 0 ? "" : ` of ${this.bank.stored.revision}`}`;
    this.#ids[index] = id;
    const { period, isStrict } = planned;
    const enforcement = planned.isBlocking ? "hard_block" : "alert_only";
    const limitMicrocents = microcents(limit);
    this.bank.change(
      sampleBudget({ id, ...scopes[scope], period, limitMicrocents, isStrict, enforcement, sinceMs }),
    );
  }

  #budget(index: number): Budget | undefined {
    return this.bank.stored.budgets.get(this.#ids[index % this.#ids.length] ?? "");
  }

  #announce(): void {
    for (const gateway of this.gateways) gateway.hearSoon();
  }

  #gateway(id: string): SimulatedGateway {
    const gateway = this.gateways.find(one => one.id === id);
    if (gateway === undefined) throw new Error(`no gateway ${id}`);
    return gateway;
  }
}
