import { type Budget, isBlocking } from "@tollgate/core/budgets/budget";
import type { Event } from "@tollgate/core/event";
import { microcents } from "@tollgate/core/money/money";
import { createCatalogue } from "@tollgate/core/pricing/catalogue";
import { Allowances } from "@tollgate/gateway/budgets/allowances";
import { Budgets } from "@tollgate/gateway/budgets/budgets";
import { Metrics } from "@tollgate/gateway/metrics";
import { DatabaseUnavailable } from "@tollgate/storage/engine/database-unavailable";
import type { AllowanceRequest } from "@tollgate/storage/shared-ledger/grant-share";
import { flatPrice } from "../labs/budget-lab.ts";
import type { Machine, MachineTime } from "../waiting/machine-time.ts";
import {
  type BankClient,
  NODE_SILENCE_MS,
  type SimulatedBank,
  type SlotKey,
  type StoredBudgets,
} from "./simulated-bank.ts";
import { type Caller, KEY_ID, type SimulatedCall, SimulatedCalls, sample } from "./simulated-calls.ts";
import { SimulatedLedger, slotKeyOf } from "./simulated-ledger.ts";
import type { SimulatedSlot } from "./simulated-slot.ts";

const RENEW_EVERY_MS = 10_000;
const SHIP_EVERY_MS = 1000;
const REPORT_POLL_MS = 200;
/** Until a change of the configuration is known, if no notification arrives. */
const MAX_HEARING_MS = 1000;
/** Reports are required of every node that is not silent for so long. */
const EXCUSED_AFTER_MS = 15_000;
/** In a second, for calls that wait for one budget: one every 50 ms, and some for renewals. */
const MAX_REQUESTS = 24;
const catalogue = createCatalogue({ overrides: flatPrice });
const usualLengths = [3, 5, 5, 6, 5, 5, 4, 5, 7, 5];

/** What a gateway knows of the simulation. */
interface Simulation {
  readonly time: MachineTime;
  readonly bank: SimulatedBank;
  /** false: there is one gateway, and it asks no bank. */
  readonly isShared: boolean;
  readonly gateways: readonly SimulatedGateway[];
  readonly stats: { admitted: number; refused: number; requests: number; checked: number };
  /** What must not have happened. */
  readonly violations: string[];
  nextDelayMs(): number;
  covered(reader: SimulatedGateway, slot: string): number;
}

/** One gateway with the real admission and the real allowances, a ledger in memory, and clocks that the simulation moves. */
export class SimulatedGateway implements BankClient {
  machine: Machine = { isDead: false, frozenUntilMs: 0 };
  isCutOff = false;
  losesAnswers = false;
  isStopped = false;
  readonly #calls: SimulatedCalls;
  /** When calls were admitted, money was settled, or a budget was changed. */
  readonly #reasonsAtMs: number[] = [];
  readonly ledger: SimulatedLedger;
  heard: StoredBudgets;
  heardAtMs = 0;
  #reportedRevision: number | null = null;
  #reported: ReadonlyMap<string, Budget> = new Map();
  #allowances!: Allowances;
  budgets!: Budgets;
  readonly #sent = new Map<AllowanceRequest, { uncoveredCount: number; since: number | null }>();
  readonly #atCommit = new Map<AllowanceRequest, SimulatedSlot["known"]>();

  constructor(
    readonly id: string,
    readonly all: Simulation,
    readonly now: () => number,
  ) {
    this.heard = all.bank.stored;
    this.ledger = new SimulatedLedger(() => all.bank.stored);
    this.#calls = new SimulatedCalls(this, all);
  }

  nextDelayMs(): number {
    return this.all.nextDelayMs();
  }

  get isRunning(): boolean {
    return !this.machine.isDead && !this.isStopped;
  }

  start(): void {
    this.machine = { isDead: false, frozenUntilMs: 0 };
    this.isStopped = false;
    for (const slot of this.ledger.slots()) slot.isAsking = false;
    this.heard = this.all.bank.stored;
    this.heardAtMs = this.all.time.nowMs;
    this.#reportedRevision = null;
    this.#reported = new Map();
    this.#calls.recover();
    this.#allowances = new Allowances({
      bank: { ask: request => this.#ask(request) },
      changed: budget => this.budgets.wake(budget),
      onFault: fault => {
        if (!(fault instanceof DatabaseUnavailable)) this.all.violations.push(String(fault));
      },
      uptimeMs: () => this.all.time.nowMs,
    });
    this.budgets = this.#makeBudgets();
    const { time, isShared } = this.all;
    if (!isShared) return;
    const renew = async () => {
      await this.#allowances.renew();
      if (!this.isStopped) time.after(RENEW_EVERY_MS, this.machine, renew);
    };
    const ship = () => {
      this.#ship();
      if (!this.isStopped) time.after(SHIP_EVERY_MS, this.machine, ship);
    };
    time.after(0, this.machine, renew);
    time.after(0, this.machine, ship);
    this.#reportSoon();
  }

  #makeBudgets(): Budgets {
    const recent = ["default", "other"].flatMap(agent_key =>
      usualLengths.map(output_tokens => ({ agent_key, model: "flat", output_tokens })),
    );
    return new Budgets(
      { refresh() {}, budgetsOf: () => [...this.heard.budgets.values()] },
      {
        budgetSpend: (budget, span) => this.ledger.budgetSpend(budget, span),
        recentAnswers: () => recent as ReturnType<ConstructorParameters<typeof Budgets>[1]["recentAnswers"]>,
      },
      { of: () => catalogue },
      new Metrics(),
      null,
      this.all.isShared ? this.#calls.observed(() => this.#allowances) : null,
    );
  }

  /** Gives nothing back. Calls in flight are settled as interrupted when it starts again. */
  die(): void {
    this.machine.isDead = true;
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.#calls.interruptAll();
    this.#ship();
    await this.#allowances.giveBack();
    this.machine.isDead = true;
  }

  freeze(ms: number): void {
    this.machine.frozenUntilMs = this.all.time.nowMs + ms;
  }

  hearSoon(): void {
    this.all.time.after((this.all.nextDelayMs() * 37) % MAX_HEARING_MS, this.machine, () => this.hear());
  }

  hear(): void {
    if (this.isCutOff || this.heard.revision === this.all.bank.stored.revision) return;
    this.heard = this.all.bank.stored;
    this.heardAtMs = this.all.time.nowMs;
    this.noteReason();
    if (this.all.isShared) this.#reportSoon();
  }

  /** As `reportSpend` does. */
  #reportSoon(): void {
    this.all.time.after((this.all.nextDelayMs() * 37) % REPORT_POLL_MS, this.machine, () => {
      const { budgets, revision } = this.heard;
      if (this.isStopped || this.#reportedRevision === revision) return;
      for (const budget of budgets.values()) {
        if (!isBlocking(budget) || this.#reported.get(budget.id) === budget) continue;
        this.budgets.reportSpend(budget, this.now());
      }
      this.#reportedRevision = revision;
      this.#reported = budgets;
    });
  }

  ingest(cost: number, { agent, customer }: Caller): void {
    const event = this.record(this.now(), {
      source: "ingest",
      cost_microcents: microcents(cost),
      agent_key: agent,
      customer_id: customer,
    });
    for (const slot of this.ledger.slotsOf(event)) {
      const heard = this.heard.budgets.get(slot.key.budgetId);
      const isKnown = heard?.sinceMs === slot.key.sinceMs && isBlocking(heard);
      slot.uncovered.push({ isUnblocked: !isKnown, microcents: cost });
    }
    this.budgets.count(event);
  }

  /** Resolves when it was admitted (true) or refused. */
  call(call: SimulatedCall): Promise<boolean> {
    return this.#calls.call(call);
  }

  /** Something happened that may be worth a request to the bank. */
  noteReason(): void {
    this.#reasonsAtMs.push(this.all.time.nowMs);
  }

  /** What all gateways have used of the slot, as far as grants have to cover it. */
  covered(slot: string): number {
    return this.all.covered(this, slot);
  }

  /** Every account whose calls have ended has nothing reserved. */
  checkReleased(): void {
    this.#calls.checkReleased();
  }

  used(slot: string): number {
    return this.ledger.find(slot)?.usedMicrocents ?? 0;
  }

  excess(slot: string): number {
    return this.ledger.find(slot)?.excess ?? 0;
  }

  shipped(name: string): number {
    return this.ledger.shipped(name);
  }

  /** What this one has spent of the slot without a grant, and the reader's grant need not cover. */
  unknownTo(reader: SimulatedGateway, name: string): number {
    const slot = this.ledger.find(name);
    if (reader === this || slot === undefined) return 0;
    const known = reader.ledger.find(name)?.known ?? null;
    const since = this.#blockingSinceMs(slot);
    // Nothing that was granted before then may be used.
    const mustReport = known === null || known.atMs < (since ?? 0) || known.reporting.has(this.id);
    const knownCount = known?.uncovered.get(this.id) ?? 0;
    let unknown = 0;
    for (const [index, one] of slot.uncovered.entries()) {
      if (index >= knownCount && !(one.isUnblocked && mustReport)) unknown += one.microcents;
    }
    for (const one of slot.uncoveredInFlight) {
      if (!(one.isUnblocked && mustReport)) unknown += one.microcents;
    }
    return unknown;
  }

  /** The request was committed. */
  committed(request: AllowanceRequest): void {
    const sent = this.#sent.get(request);
    if (sent === undefined) throw new Error("committed but not sent");
    const slot = this.ledger.slot(request);
    slot.committedCount = sent.uncoveredCount;
    if (sent.since !== null) slot.reportedSinceMs = sent.since;
    const { gateways, time } = this.all;
    const reporting = gateways.filter(one => one.#isReporting(one.ledger.slot(request)));
    this.#atCommit.set(request, {
      atMs: time.nowMs,
      uncovered: new Map(gateways.map(one => [one.id, one.ledger.slot(request).committedCount] as const)),
      reporting: new Set(reporting.map(({ id }) => id)),
    });
  }

  #isReporting(slot: SimulatedSlot): boolean {
    const { bank, time } = this.all;
    const since = this.#blockingSinceMs(slot);
    if (since === null) return false;
    if ((slot.reportedSinceMs ?? -1) >= since) return true;
    const silenceMs = time.nowMs - (bank.lastSeenMs.get(this.id) ?? 0);
    const isExcused = bank.isAccountedFor(this.id, slot.name) || time.nowMs >= since + EXCUSED_AFTER_MS;
    return !isExcused && silenceMs <= NODE_SILENCE_MS;
  }

  #blockingSinceMs({ key }: SimulatedSlot): number | null {
    const budget = this.all.bank.stored.budgets.get(key.budgetId);
    return budget?.sinceMs === key.sinceMs ? budget.blockingSinceMs : null;
  }

  answered(request: AllowanceRequest): void {
    const known = this.#atCommit.get(request);
    if (known === undefined) throw new Error("answered but not committed");
    this.ledger.slot(request).known = known;
  }

  async #ask(request: AllowanceRequest) {
    const slot = this.ledger.slot(request);
    const { nowMs } = this.all.time;
    if (slot.isAsking) this.all.violations.push(`${this.id} has two requests in flight for ${slot.name}`);
    slot.isAsking = true;
    this.all.stats.requests++;
    slot.requestsAtMs.push(nowMs);
    const requests = countSince(slot.requestsAtMs, nowMs - 1000);
    const reasons = countSince(this.#reasonsAtMs, nowMs - 3000);
    if (requests > MAX_REQUESTS + 2 * reasons) {
      this.all.violations.push(`${this.id} sends ${requests} requests in a second for ${reasons} reasons`);
    }
    const since = this.heard.budgets.get(request.budgetId)?.blockingSinceMs ?? null;
    this.#sent.set(request, { uncoveredCount: slot.uncovered.length, since });
    try {
      return await this.all.bank.ask(this, request);
    } finally {
      slot.isAsking = false;
    }
  }

  record(createdAtMs: number, change: Partial<Event>): Event {
    const event = { ...sample, model: "flat", key_id: KEY_ID, created_at: createdAtMs, ...change };
    this.ledger.record(event);
    this.noteReason();
    return event;
  }

  #ship(): void {
    if (this.isCutOff || !this.all.isShared) return;
    this.ledger.ship();
    this.all.bank.lastSeenMs.set(this.id, this.all.time.nowMs);
  }

  /** The slot of a call of now. */
  currentSlot(budget: Budget): SlotKey {
    return slotKeyOf(budget, this.now());
  }
}

function countSince(timesMs: readonly number[], sinceMs: number): number {
  let count = 0;
  for (let index = timesMs.length - 1; index >= 0 && (timesMs[index] ?? 0) > sinceMs; index--) count++;
  return count;
}
