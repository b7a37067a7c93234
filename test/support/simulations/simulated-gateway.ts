import type { BudgetAccount } from "@tollgate/core/budgets/account";
import { appliesTo, type Budget, isBlocking } from "@tollgate/core/budgets/budget";
import { withheldBy } from "@tollgate/core/budgets/flags";
import { fail, TollgateError } from "@tollgate/core/errors";
import type { Event } from "@tollgate/core/event";
import { microcents } from "@tollgate/core/money/money";
import { createCatalogue } from "@tollgate/core/pricing/catalogue";
import { textPrompt } from "@tollgate/core/pricing/prompt-size";
import { Allowances } from "@tollgate/gateway/budgets/allowances";
import { Budgets } from "@tollgate/gateway/budgets/budgets";
import type { Patience } from "@tollgate/gateway/budgets/headroom-queue";
import { flagsOf, type Hold, type Reservation } from "@tollgate/gateway/budgets/hold";
import type { Shares } from "@tollgate/gateway/budgets/shares";
import { Metrics } from "@tollgate/gateway/metrics";
import type { Identified, Routed } from "@tollgate/gateway/request/routed";
import { DatabaseUnavailable } from "@tollgate/storage/engine/database-unavailable";
import type { AllowanceRequest } from "@tollgate/storage/shared-ledger/grant-share";
import { flatPrice } from "../labs/budget-lab.ts";
import { sampleSettlement } from "../rows/sample-event.ts";
import type { Machine, MachineTime } from "../waiting/machine-time.ts";
import {
  type BankClient,
  NODE_SILENCE_MS,
  type SimulatedBank,
  type SlotKey,
  type StoredBudgets,
} from "./simulated-bank.ts";
import { SimulatedLedger, slotKeyOf } from "./simulated-ledger.ts";
import {
  type SimulatedReservation,
  type SimulatedSlot,
  settleIn,
  type Uncovered,
  upperOf,
} from "./simulated-slot.ts";

const RENEW_EVERY_MS = 10_000;
const SHIP_EVERY_MS = 1000;
const REPORT_POLL_MS = 200;
/** Until a change of the configuration is known, if no notification arrives. */
const MAX_HEARING_MS = 1000;
/** Reports are required of every node that is not silent for so long. */
const EXCUSED_AFTER_MS = 15_000;
/** In a second, for calls that wait for one budget: one every 50 ms, and some for renewals. */
const MAX_REQUESTS = 24;
const PROMPT_BYTES = 10;
const KEY_ID = "key";
const catalogue = createCatalogue({ overrides: flatPrice });
const sample = sampleSettlement("sample").event;
const usualLengths = [3, 5, 5, 6, 5, 5, 4, 5, 7, 5];

/** Whose calls they are, besides those of the organization and of the one key. */
interface Caller {
  readonly agent: string;
  readonly customer: string | null;
}

export interface SimulatedCall extends Caller {
  /** The client's own limit; null: none, so that the length of earlier answers is expected. */
  readonly askedTokens: number | null;
  readonly answeredTokens: number;
  readonly takesMs: number;
  readonly ending: "answered" | "not made" | "estimated";
}

interface OpenCall {
  readonly call: SimulatedCall;
  readonly hold: Hold | null;
  readonly createdAtMs: number;
  readonly reservations: readonly SimulatedReservation[];
}

/** A budget that a call counts toward, just before it is admitted. */
interface Before {
  readonly slot: SimulatedSlot;
  /** Its grant, or on one machine the limit, has to cover the call. */
  readonly isGuarded: boolean;
  readonly coveredMicrocents: number;
  readonly usedMicrocents: number;
}

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

/**
 * One gateway with the real admission and the real allowances, a ledger in memory, and clocks that the simulation moves. It
 * checks each call that it admits under budgets that block.
 */
export class SimulatedGateway implements BankClient {
  machine: Machine = { isDead: false, frozenUntilMs: 0 };
  isCutOff = false;
  losesAnswers = false;
  isStopped = false;
  readonly #open = new Set<OpenCall>();
  /** When calls were admitted, money was settled, or a budget was changed. */
  readonly #reasonsAtMs: number[] = [];
  readonly #ledger: SimulatedLedger;
  #heard: StoredBudgets;
  #heardAtMs = 0;
  #reportedRevision: number | null = null;
  #reported: ReadonlyMap<string, Budget> = new Map();
  #allowances!: Allowances;
  #budgets!: Budgets;
  readonly #sent = new Map<AllowanceRequest, { uncoveredCount: number; since: number | null }>();
  readonly #atCommit = new Map<AllowanceRequest, SimulatedSlot["known"]>();
  readonly #shares = new WeakMap<BudgetAccount, number>();
  readonly #accounts = new Map<BudgetAccount, SimulatedSlot>();

  constructor(
    readonly id: string,
    readonly all: Simulation,
    readonly now: () => number,
  ) {
    this.#heard = all.bank.stored;
    this.#ledger = new SimulatedLedger(() => all.bank.stored);
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
    for (const slot of this.#ledger.slots()) slot.isAsking = false;
    this.#heard = this.all.bank.stored;
    this.#heardAtMs = this.all.time.nowMs;
    this.#reportedRevision = null;
    this.#reported = new Map();
    this.#recover();
    this.#allowances = new Allowances({
      bank: { ask: request => this.#ask(request) },
      changed: budget => this.#budgets.wake(budget),
      onFault: fault => {
        if (!(fault instanceof DatabaseUnavailable)) this.all.violations.push(String(fault));
      },
      uptimeMs: () => this.all.time.nowMs,
    });
    this.#budgets = this.#makeBudgets();
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
      { refresh() {}, budgetsOf: () => [...this.#heard.budgets.values()] },
      {
        budgetSpend: (budget, span) => this.#ledger.budgetSpend(budget, span),
        recentAnswers: () => recent as ReturnType<ConstructorParameters<typeof Budgets>[1]["recentAnswers"]>,
      },
      { of: () => catalogue },
      new Metrics(),
      null,
      this.all.isShared ? this.#observedShares() : null,
    );
  }

  #observedShares(): Shares {
    return {
      isSpent: (budget, account) => this.#allowances.isSpent(budget, account),
      admitted: account => this.#allowances.admitted(account),
      counted: (budget, account) => this.#allowances.counted(budget, account),
      report: (budget, account) => this.#allowances.report(budget, account),
      of: (budget, account, need) => {
        const share = this.#allowances.of(budget, account, need);
        this.#shares.set(account, share.limitMicrocents);
        return share;
      },
    };
  }

  /** Gives nothing back. Calls in flight are settled as interrupted when it starts again. */
  die(): void {
    this.machine.isDead = true;
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    for (const one of [...this.#open]) this.#conclude(one, true);
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
    if (this.isCutOff || this.#heard.revision === this.all.bank.stored.revision) return;
    this.#heard = this.all.bank.stored;
    this.#heardAtMs = this.all.time.nowMs;
    this.#reasonsAtMs.push(this.all.time.nowMs);
    if (this.all.isShared) this.#reportSoon();
  }

  /** As `reportSpend` does. */
  #reportSoon(): void {
    this.all.time.after((this.all.nextDelayMs() * 37) % REPORT_POLL_MS, this.machine, () => {
      const { budgets, revision } = this.#heard;
      if (this.isStopped || this.#reportedRevision === revision) return;
      for (const budget of budgets.values()) {
        if (!isBlocking(budget) || this.#reported.get(budget.id) === budget) continue;
        this.#budgets.reportSpend(budget, this.now());
      }
      this.#reportedRevision = revision;
      this.#reported = budgets;
    });
  }

  ingest(cost: number, { agent, customer }: Caller): void {
    const event = this.#record(this.now(), {
      source: "ingest",
      cost_microcents: microcents(cost),
      agent_key: agent,
      customer_id: customer,
    });
    for (const slot of this.#ledger.slotsOf(event)) {
      const heard = this.#heard.budgets.get(slot.key.budgetId);
      const isKnown = heard?.sinceMs === slot.key.sinceMs && isBlocking(heard);
      slot.uncovered.push({ isUnblocked: !isKnown, microcents: cost });
    }
    this.#budgets.count(event);
  }

  /** Resolves when it was admitted (true) or refused. */
  async call(call: SimulatedCall): Promise<boolean> {
    const { stats } = this.all;
    const identified = {
      caller: { orgId: sample.org_id, mode: sample.mode, keyId: KEY_ID },
      agentKey: call.agent,
      customerId: call.customer,
      pair: null,
    } as Identified;
    const routed = {
      provider: { id: "openai" },
      model: "flat",
      body: {},
      bytes: new Uint8Array(PROMPT_BYTES),
      exchange: { prompt: textPrompt(PROMPT_BYTES), upstream: { maxOutputTokens: call.askedTokens } },
      summary: { maxOutputTokens: call.askedTokens, choices: 1 },
    } as unknown as Routed;
    const tryNow = (patience: Patience) => this.#tryCall(call, identified, routed, patience);
    try {
      if (tryNow("patient") === null) {
        await this.#budgets.waitForHeadroom(identified, patience => {
          if (this.isStopped) throw fail("shutting_down", "the gateway is shutting down");
          return tryNow(patience);
        });
      }
      stats.admitted++;
      return true;
    } catch (refusal) {
      if (!(refusal instanceof TollgateError)) this.all.violations.push(String(refusal));
      stats.refused++;
      return false;
    }
  }

  used(slot: string): number {
    return this.#ledger.find(slot)?.usedMicrocents ?? 0;
  }

  excess(slot: string): number {
    return this.#ledger.find(slot)?.excess ?? 0;
  }

  shipped(name: string): number {
    return this.#ledger.shipped(name);
  }

  /** What this one has spent of the slot without a grant, and the reader's grant need not cover. */
  unknownTo(reader: SimulatedGateway, name: string): number {
    const slot = this.#ledger.find(name);
    if (reader === this || slot === undefined) return 0;
    const known = reader.#ledger.find(name)?.known ?? null;
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
    const slot = this.#ledger.slot(request);
    slot.committedCount = sent.uncoveredCount;
    if (sent.since !== null) slot.reportedSinceMs = sent.since;
    const { gateways, time } = this.all;
    const reporting = gateways.filter(one => one.#isReporting(one.#ledger.slot(request)));
    this.#atCommit.set(request, {
      atMs: time.nowMs,
      uncovered: new Map(gateways.map(one => [one.id, one.#ledger.slot(request).committedCount] as const)),
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
    this.#ledger.slot(request).known = known;
  }

  async #ask(request: AllowanceRequest) {
    const slot = this.#ledger.slot(request);
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
    const since = this.#heard.budgets.get(request.budgetId)?.blockingSinceMs ?? null;
    this.#sent.set(request, { uncoveredCount: slot.uncovered.length, since });
    try {
      return await this.all.bank.ask(this, request);
    } finally {
      slot.isAsking = false;
    }
  }

  #tryCall(call: SimulatedCall, identified: Identified, routed: Routed, patience: Patience): true | null {
    const createdAtMs = this.now();
    const before = this.#beforeCall(call, createdAtMs);
    const hold = this.#budgets.reserve(identified, routed, createdAtMs, patience);
    if (hold.kind === "wait") return null;
    const reserved = hold.kind === "held" ? hold.reservations : [];
    if (reserved.length !== before.size) {
      this.all.violations.push(`${reserved.length} of ${before.size} budgets reserve the call`);
    }
    const open: OpenCall = {
      call,
      hold: hold.kind === "held" ? hold : null,
      createdAtMs,
      reservations: reserved.flatMap(one => {
        const known = before.get(one.budget.id);
        if (known === undefined) return [];
        const needed = one.budget.isStrict && hold.kind === "held" ? (hold.strict?.worstMicrocents ?? 1) : 1;
        if (known.isGuarded) this.#check(one.budget, known, needed);
        return [this.#reserved(one, known)];
      }),
    };
    this.#open.add(open);
    this.#reasonsAtMs.push(this.all.time.nowMs);
    this.#compareAccounts(open);
    this.all.time.after(call.takesMs, this.machine, () => this.#conclude(open, false));
    return true;
  }

  #beforeCall({ agent, customer }: Caller, createdAtMs: number): Map<string, Before> {
    const before = new Map<string, Before>();
    for (const budget of this.#heard.budgets.values()) {
      if (!appliesTo(budget, agent, KEY_ID, customer, null)) continue;
      const slot = this.#ledger.slot(slotKeyOf(budget, createdAtMs));
      const isGuarded = isBlocking(budget) && this.#isCurrent(budget);
      const coveredMicrocents = isGuarded ? this.all.covered(this, slot.name) : 0;
      before.set(budget.id, { slot, isGuarded, coveredMicrocents, usedMicrocents: slot.usedMicrocents });
    }
    return before;
  }

  /** A node that has not heard of the last changes goes by what it knows. */
  #isCurrent(budget: Budget): boolean {
    const stored = this.all.bank.stored.budgets.get(budget.id);
    if (stored === undefined || stored.sinceMs !== budget.sinceMs) return false;
    if (!this.all.isShared) return true;
    return (
      budget.blockingSinceMs === stored.blockingSinceMs && budget.limitMicrocents <= stored.limitMicrocents
    );
  }

  #check(budget: Budget, { slot, usedMicrocents, coveredMicrocents }: Before, needed: number): void {
    const { stats, bank, time, violations, isShared } = this.all;
    stats.checked++;
    const held = bank.heldBy(this.id, slot.name);
    if (isShared && usedMicrocents + needed > held) {
      violations.push(
        `${this.id} at ${time.nowMs} ms: ${usedMicrocents} of ${slot.name} are used, the bank holds ${held}, and a call that needs ${needed} is admitted`,
      );
    }
    // Nothing that was granted of a higher limit may be used once the lower one is known.
    const limit = isShared
      ? bank.highestLimitSince(budget.id, Math.max(this.#heardAtMs, slot.known?.atMs ?? 0)) +
        bank.returned(slot.name)
      : budget.limitMicrocents;
    if (coveredMicrocents + needed > limit) {
      violations.push(
        `${this.id} at ${time.nowMs} ms: ${coveredMicrocents} of ${limit} of ${slot.name} are used, and a call that needs ${needed} is admitted`,
      );
    }
  }

  #reserved({ budget, account, expected }: Reservation, known: Before): SimulatedReservation {
    const { slot, isGuarded, usedMicrocents } = known;
    const isUnblocked = !isGuardedByOlder(budget, this.all.bank.stored.budgets.get(budget.id));
    const uncovered: Uncovered | null = isGuarded ? null : { isUnblocked, microcents: upperOf(expected) };
    const share = this.all.isShared ? this.#shares.get(account) : budget.limitMicrocents;
    const leftMicrocents = isGuarded ? (share ?? 0) - usedMicrocents : Number.POSITIVE_INFINITY;
    const reservation = { slot, account, expected, uncovered, leftMicrocents };
    slot.reservations.add(reservation);
    this.#accounts.set(account, slot);
    if (uncovered !== null) slot.uncoveredInFlight.add(uncovered);
    return reservation;
  }

  /** What a gateway counts in memory must not differ from its ledger and its open calls. */
  #compareAccounts({ reservations }: Pick<OpenCall, "reservations">): void {
    for (const { slot, account } of reservations) {
      const { budgetId, sinceMs } = slot.key;
      const { bank } = this.all;
      if (this.#heard.budgets.get(budgetId)?.sinceMs !== sinceMs) continue;
      if (bank.stored.budgets.get(budgetId)?.sinceMs !== sinceMs) continue;
      const difference = slot.differenceOf(account);
      if (difference !== null) this.all.violations.push(`${this.id}: ${difference}`);
    }
  }

  /** Every account whose calls have ended has nothing reserved. */
  checkReleased(): void {
    for (const [account, { name, reservations }] of this.#accounts) {
      if ([...reservations].some(one => one.account === account) || account.reservedMicrocents === 0)
        continue;
      this.all.violations.push(`${this.id}: ${account.reservedMicrocents} of ${name} are never released`);
    }
  }

  #conclude(open: OpenCall, isInterrupted: boolean): void {
    if (!this.#open.delete(open)) return;
    const { hold, call } = open;
    for (const one of open.reservations) {
      one.slot.reservations.delete(one);
      if (one.uncovered !== null) one.slot.uncoveredInFlight.delete(one.uncovered);
    }
    if (call.ending === "not made" && !isInterrupted) {
      this.#budgets.release({ orgId: sample.org_id, mode: sample.mode }, hold);
    } else {
      this.#budgets.conclude(this.#settle(open, isInterrupted), hold);
    }
    this.#compareAccounts(open);
  }

  #settle({ hold, call, createdAtMs, reservations }: OpenCall, isInterrupted: boolean): Event {
    const strict = hold?.strict ?? null;
    const worst = strict?.worstMicrocents ?? Number.MAX_SAFE_INTEGER;
    const tokens = strict === null ? call.answeredTokens : Math.min(call.answeredTokens, strict.outputTokens);
    const mean = reservations[0]?.expected.meanMicrocents ?? 0;
    const cost = microcents(Math.min(worst, isInterrupted ? mean : PROMPT_BYTES * 3 + tokens * 100));
    const isEstimated = isInterrupted || call.ending === "estimated";
    const event = this.#record(createdAtMs, {
      cost_microcents: cost,
      output_tokens: tokens,
      status: isInterrupted ? "interrupted" : "success",
      agent_key: call.agent,
      customer_id: call.customer,
      budget_flags: hold === null ? null : flagsOf(hold, cost, !isEstimated),
    });
    for (const slot of this.#ledger.slotsOf(event)) {
      const budget = this.all.bank.stored.budgets.get(slot.key.budgetId);
      if (budget === undefined) continue;
      const total = cost + withheldBy(event.budget_flags, budget);
      const reservation = reservations.find(one => one.slot === slot);
      if (reservation === undefined) this.#uncover(slot, total);
      else settleIn(reservation, total);
    }
    return event;
  }

  /** Its call was admitted when this node did not know of the budget, or of its reset. */
  #uncover(slot: SimulatedSlot, total: number): void {
    const isHeard = this.#heard.budgets.get(slot.key.budgetId)?.sinceMs === slot.key.sinceMs;
    // If it was still open when this node heard of it, nothing of it was reserved, and no report contains it.
    slot.uncovered.push({ isUnblocked: !isHeard, microcents: total });
  }

  #record(createdAtMs: number, change: Partial<Event>): Event {
    const event = { ...sample, model: "flat", key_id: KEY_ID, created_at: createdAtMs, ...change };
    this.#ledger.record(event);
    this.#reasonsAtMs.push(this.all.time.nowMs);
    return event;
  }

  #ship(): void {
    if (this.isCutOff || !this.all.isShared) return;
    this.#ledger.ship();
    this.all.bank.lastSeenMs.set(this.id, this.all.time.nowMs);
  }

  #recover(): void {
    for (const open of [...this.#open]) {
      this.#open.delete(open);
      for (const one of open.reservations) {
        one.slot.reservations.delete(one);
        if (one.uncovered !== null) one.slot.uncoveredInFlight.delete(one.uncovered);
      }
      this.#settle(open, true);
    }
    this.#accounts.clear();
  }

  /** The slot of a call of now. */
  currentSlot(budget: Budget): SlotKey {
    return slotKeyOf(budget, this.now());
  }
}

/** It blocked all the time, and only its limit was lowered. */
function isGuardedByOlder(heard: Budget, stored: Budget | undefined): boolean {
  return heard.blockingSinceMs !== null && heard.blockingSinceMs === stored?.blockingSinceMs;
}

function countSince(timesMs: readonly number[], sinceMs: number): number {
  let count = 0;
  for (let index = timesMs.length - 1; index >= 0 && (timesMs[index] ?? 0) > sinceMs; index--) count++;
  return count;
}
