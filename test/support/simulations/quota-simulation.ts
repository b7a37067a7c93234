import { TollgateError } from "@tollgate/core/errors";
import { tiers } from "@tollgate/core/limits/tiers";
import { monthOf } from "@tollgate/core/time/month";
import { Agents } from "@tollgate/gateway/limits/agents";
import { CallGrants } from "@tollgate/gateway/limits/call-grants";
import { CallLimits } from "@tollgate/gateway/limits/call-limits";
import { SharedMonths } from "@tollgate/gateway/limits/shared-months";
import { VirtualTime } from "../waiting/virtual-time.ts";
import { seeded } from "./simulated-fleet.ts";
import { add, type Network, SimulatedQuotaBank } from "./simulated-quota-bank.ts";

/** What happens, each some time after the one before. */
export type Step = { readonly afterMs: number; readonly node: number } & (
  | {
      readonly kind: "calls";
      readonly count: number;
      readonly everyMs: number;
      /** In the queue of a budget. */
      readonly queuedMs: number;
      readonly ending: "made" | "over budget" | "not written";
    }
  | { readonly kind: "network"; readonly network: Network }
  | { readonly kind: "limit"; readonly limit: number }
  | { readonly kind: "kill"; readonly downMs: number }
  /** null: it is never started again. */
  | { readonly kind: "stop"; readonly downMs: number | null }
  | { readonly kind: "clock"; readonly aheadMs: number }
);

export interface Plan {
  readonly seed: number;
  /** Two minutes later, the month is over. */
  readonly isMonthEnding: boolean;
  readonly nodes: number;
  readonly limit: number;
  readonly steps: readonly Step[];
}

const MID_MONTH_MS = Date.parse("2026-11-15T12:00:00.000Z");
const MONTH_ENDING_MS = Date.parse("2026-11-30T23:58:00.000Z");
const CONFIG_DELAY_MS = 1000;
const RENEW_EVERY_MS = 10_000;
const org = { orgId: "org", mode: "live", tier: "starter" } as const;

interface Process {
  readonly limits: CallLimits;
  readonly months: SharedMonths;
  readonly agents: Agents;
  isAlive: boolean;
  isStopping: boolean;
  isCutOff: boolean;
  callsOpen: number;
  /** Counted, and not in the ledger yet. */
  callsBeingWritten: number;
  /** Counted, and then not written: a report in between may have included them. */
  callsNotWritten: number;
  /** Requests in flight, by month. */
  readonly asking: Map<string, number>;
}

interface Node {
  readonly id: string;
  network: Network;
  clockAheadMs: number;
  limit: number;
  /** In its ledger, by month. */
  readonly made: Map<string, number>;
  process: Process | null;
  hasLeft: boolean;
  /** The bank may not have heard that it gives back what it held, which is kept until it is removed. */
  hasLeftInVain: boolean;
  readonly askedAtMs: number[];
  /** Its requests take effect one after the other. */
  lastCommitAtMs: number;
}

/**
 * Several gateways and the monthly calls of one organization in virtual time: the real classes and the bank's real decision,
 * with answers that are late or lost, nodes that die or stop, clocks that differ and a limit that changes.
 */
export class QuotaSimulation {
  readonly time = new VirtualTime();
  readonly violations: string[] = [];
  readonly #startMs: number;
  readonly #random: () => number;
  readonly #nodes: Node[];
  readonly #bank: SimulatedQuotaBank;
  /** Those that a fault or a change of the month allows in addition. */
  readonly #extra = new Map<string, number>();
  readonly #made = new Map<string, number>();
  #limit: number;
  /** Since every node has heard of the limit, and calls that were admitted before are over. */
  #limitHeardAtMs = 0;
  #madeBefore = new Map<string, number>();
  #lostCalls = 0;

  constructor(private readonly plan: Plan) {
    this.#startMs = plan.isMonthEnding ? MONTH_ENDING_MS : MID_MONTH_MS;
    this.#random = seeded(plan.seed);
    this.#bank = new SimulatedQuotaBank(this.time, this.#random, org.orgId, this.violations);
    this.#limit = plan.limit;
    this.#nodes = Array.from({ length: plan.nodes }, (_, index) => ({
      id: `node-${index}`,
      network: "good",
      clockAheadMs: 0,
      limit: plan.limit,
      made: new Map(),
      process: null,
      hasLeft: false,
      hasLeftInVain: false,
      askedAtMs: [],
      lastCommitAtMs: 0,
    }));
    for (const node of this.#nodes) this.#start(node);
  }

  async run(): Promise<void> {
    let atMs = 0;
    for (const step of this.plan.steps) {
      atMs += step.afterMs;
      await this.time.advanceTo(atMs);
      this.#do(step);
    }
    await this.time.advanceTo(atMs + 60_000);
  }

  madeIn(month: string): number {
    return this.#made.get(month) ?? 0;
  }

  /** Everything works and is quiet; then one node asks for all that is left. The number of calls that it does not get. */
  async stranded(atNode: number): Promise<number> {
    for (const node of this.#nodes) {
      node.network = "good";
      node.clockAheadMs = 0;
      if (!node.hasLeft) this.#start(node);
    }
    await this.time.advanceTo(Math.max(180_000, this.time.now() + 60_000));
    const month = monthOf(this.#startMs + this.time.now());
    const left = () => this.#limit - this.madeIn(month);
    const alive = this.#nodes.filter(({ process }) => process !== null);
    const node = alive[atNode % alive.length];
    const before = this.#bank.requests;
    await this.time.advanceTo(this.time.now() + 60_000);
    if (this.#bank.requests > before)
      this.violations.push(`${this.#bank.requests - before} requests in a quiet minute`);
    if (node === undefined) return 0;
    for (let round = 0, last = -1; left() > 0 && left() !== last; round++) {
      if (round % 3 === 0) last = left();
      for (let call = 0; call < 50; call++) void this.#call(node, 0, "made");
      await this.time.advanceTo(this.time.now() + 1500);
    }
    return Math.max(0, left() - this.#lostCalls - this.#keptIn(month));
  }

  /** By nodes that have left in vain. */
  #keptIn(month: string): number {
    return this.#nodes
      .filter(({ hasLeftInVain }) => hasLeftInVain)
      .reduce((sum, { id, made }) => sum + this.#bank.heldBy(id, month) - (made.get(month) ?? 0), 0);
  }

  #do(step: Step): void {
    const node = this.#nodes[step.node % this.#nodes.length] as Node;
    switch (step.kind) {
      case "calls":
        for (let call = 0; call < step.count; call++) {
          const ending = call % 2 === 0 ? step.ending : "made";
          this.time.at(this.time.now() + call * step.everyMs, () => {
            void this.#call(node, step.queuedMs, ending);
          });
        }
        return;
      case "network":
        node.network = step.network;
        return;
      case "limit":
        this.#changeLimit(step.limit);
        return;
      case "clock":
        node.clockAheadMs = step.aheadMs;
        return;
      case "kill":
        if (node.process === null) return;
        // The bank may know of them: then they stay counted, as if the ledger had lost them.
        this.#lostCalls += node.process.callsBeingWritten + node.process.callsNotWritten;
        node.process.isAlive = false;
        node.process = null;
        this.time.at(this.time.now() + step.downMs, () => this.#start(node));
        return;
      case "stop":
        void this.#stop(node, step.downMs);
    }
  }

  #changeLimit(limit: number): void {
    this.#limit = limit;
    for (const node of this.#nodes) {
      this.time.at(this.time.now() + this.#random() * CONFIG_DELAY_MS, () => {
        node.limit = this.#limit;
      });
    }
    // Calls that have room by then may still wait for their budgets.
    this.#limitHeardAtMs = this.time.now() + CONFIG_DELAY_MS + 3000;
    this.time.at(this.#limitHeardAtMs, () => {
      if (this.time.now() < this.#limitHeardAtMs) return;
      this.#madeBefore = new Map(this.#made);
    });
  }

  #start(node: Node): void {
    if (node.process !== null) return;
    const { time } = this;
    const asking = new Map<string, number>();
    const months = new SharedMonths({
      bank: {
        askForCalls: request => this.#bank.ask(node, process, request),
        heldMonths: () => this.#bank.heldMonths(node, process),
      },
      callsInMonth: (_, month) => node.made.get(month) ?? 0,
      onFault: () => {},
      uptimeMs: time.now,
      sleep: time.sleep,
    });
    const process: Process = {
      months,
      limits: new CallLimits((_, month) => node.made.get(month) ?? 0, null, months),
      agents: new Agents({ agentsOf: () => ["agent"], hasAgent: () => true }, "", () => 0),
      isAlive: true,
      isStopping: false,
      isCutOff: false,
      callsOpen: 0,
      callsBeingWritten: 0,
      callsNotWritten: 0,
      asking,
    };
    node.process = process;
    void this.#renew(process);
  }

  async #renew(process: Process): Promise<void> {
    while (process.isAlive && !process.isStopping) {
      await process.months.renew();
      await this.time.sleep(RENEW_EVERY_MS);
    }
  }

  async #stop(node: Node, downMs: number | null): Promise<void> {
    const { process } = node;
    if (process === null || process.isStopping) return;
    process.isStopping = true;
    while (process.callsOpen > 0 && process.isAlive) await this.time.sleep(10);
    await process.months.giveBack();
    if (node.process !== process) return;
    process.isAlive = false;
    node.process = null;
    if (downMs === null) {
      node.hasLeft = true;
      node.hasLeftInVain = process.isCutOff;
    } else this.time.at(this.time.now() + downMs, () => this.#start(node));
  }

  /** As `admit` does it. */
  async #call(node: Node, queuedMs: number, ending: "made" | "over budget" | "not written"): Promise<void> {
    const { process } = node;
    if (process === null || process.isStopping) return;
    process.callsOpen++;
    try {
      const { limits, agents } = process;
      const now = () => this.#startMs + this.time.now() + node.clockAheadMs;
      const caller = { ...org, limits: { ...tiers.starter, monthlyCalls: node.limit, burstPerMinute: 1e9 } };
      const grants = new CallGrants(caller, "agent", { limits, agents, now });
      const askedIn = monthOf(now());
      try {
        await grants.ask();
        const countsAlone = process.isCutOff;
        if (queuedMs > 0) await this.time.sleep(queuedMs * this.#random());
        if (!process.isAlive) return;
        if (ending === "over budget") throw new TollgateError("budget_exceeded", "", {});
        const createdAtMs = now();
        const month = monthOf(createdAtMs);
        limits.check(caller, createdAtMs, grants);
        limits.take(caller, createdAtMs, grants);
        const isExtra = countsAlone || month !== askedIn;
        process.callsBeingWritten++;
        await this.time.sleep(20 * this.#random());
        if (!process.isAlive) return;
        process.callsBeingWritten--;
        if (ending === "not written") {
          process.callsNotWritten++;
          limits.release(caller, createdAtMs);
          throw new TollgateError("ledger_unavailable", "", {});
        }
        this.#count(node, month, isExtra);
      } catch (fault) {
        grants.refused();
        if (!(fault instanceof TollgateError)) throw fault;
      }
    } finally {
      process.callsOpen--;
    }
  }

  #count(node: Node, month: string, isExtra: boolean): void {
    const made = add(this.#made, month, 1);
    add(node.made, month, 1);
    const extra = add(this.#extra, month, isExtra ? 1 : 0);
    if (this.time.now() <= this.#limitHeardAtMs) return;
    const allowed = Math.max(this.#limit, this.#madeBefore.get(month) ?? 0) + extra;
    if (made > allowed)
      this.violations.push(`${month}: ${made} calls made of ${this.#limit} (${extra} extra)`);
  }
}
