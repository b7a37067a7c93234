import type { Budget } from "@tollgate/core/budgets/budget";
import { microcents } from "@tollgate/core/money/money";
import { sampleBudget } from "../sample-budget.ts";
import { MachineTime } from "../waiting/machine-time.ts";
import { SimulatedBank } from "./simulated-bank.ts";
import { SimulatedGateway } from "./simulated-gateway.ts";

const CALM_DELAY_MS = 20;

export interface Simulated {
  readonly nodes: number;
  readonly limit: number;
  readonly isStrict: boolean;
  readonly isBlocking: boolean;
  /** Until midnight. */
  readonly startsBeforeMidnightMs: number;
  readonly skewsMs: readonly number[];
  /** Used in turn. */
  readonly delaysMs: readonly number[];
}

/**
 * Gateways that share one daily budget, in virtual time: the real admission and the real allowances, with a bank in memory.
 * Every admission under a budget that blocks is checked: on one machine it would have been admitted, too, knowing all that
 * the bank could know.
 */
export class SimulatedGateways {
  readonly time = new MachineTime();
  readonly bank: SimulatedBank;
  readonly gateways: SimulatedGateway[] = [];
  readonly stats = { admitted: 0, refused: 0, requests: 0, checked: 0 };
  /** What must not have happened. */
  readonly violations: string[] = [];
  /** The network is fast. */
  isCalm = false;
  #delays = 0;

  constructor(readonly plan: Simulated) {
    const startsAtMs = Date.parse("2026-11-16T00:00:00Z") - plan.startsBeforeMidnightMs;
    this.bank = new SimulatedBank(this.time, this.#budget({}), {
      committed: (client, request) => this.#gateway(client.id).committed(request),
      answered: (client, request) => this.#gateway(client.id).answered(request),
    });
    this.time.install();
    for (let index = 0; index < plan.nodes; index++) {
      const skewMs = plan.skewsMs[index % plan.skewsMs.length] ?? 0;
      const gateway = new SimulatedGateway(
        `node ${index}`,
        this,
        () => startsAtMs + skewMs + this.time.nowMs,
      );
      this.gateways.push(gateway);
      gateway.start();
    }
    const account = () => {
      this.bank.accountForSilent((id, period) => this.#gateway(id).shipped(period));
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

  change(change: Partial<Budget>): void {
    this.bank.change(this.#budget({ ...this.bank.stored.budget, ...change }));
    for (const gateway of this.gateways) gateway.hearSoon();
  }

  /**
   * What all have used of the period, as far as a grant to `reader` had to cover it: without what it could not know, and
   * without the excess of the one call that may exceed what is left, which is known only to its node.
   */
  covered(reader: SimulatedGateway, period: string): number {
    let total = 0;
    let excess = 0;
    for (const gateway of this.gateways) {
      total += gateway.used(period) - gateway.unknownTo(reader, period);
      excess = Math.max(excess, gateway.excess(period));
    }
    return total - excess;
  }

  /** What is left of the gateway's period: dead nodes keep what they were granted, and the others what they have used. */
  leftFor(gateway: SimulatedGateway): number {
    const period = gateway.currentPeriod;
    let left: number = this.bank.stored.budget.limitMicrocents;
    for (const one of this.gateways)
      left -= one.isRunning ? one.used(period) : Math.max(one.used(period), this.bank.heldBy(one.id, period));
    return left;
  }

  #budget(change: Partial<Budget>): Budget {
    return sampleBudget({
      limitMicrocents: microcents(this.plan.limit),
      enforcement: this.plan.isBlocking ? "hard_block" : "alert_only",
      isStrict: this.plan.isStrict,
      ...change,
    });
  }

  #gateway(id: string): SimulatedGateway {
    const gateway = this.gateways.find(one => one.id === id);
    if (gateway === undefined) throw new Error(`no gateway ${id}`);
    return gateway;
  }
}
