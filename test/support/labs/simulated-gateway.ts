import type { BudgetAccount } from "@tollgate/core/budgets/account";
import { countedAt, isBlocking } from "@tollgate/core/budgets/budget";
import { type Expectation, Z_95 } from "@tollgate/core/budgets/expectation";
import { withheldBy, withheldFlag } from "@tollgate/core/budgets/flags";
import { periodSpan } from "@tollgate/core/budgets/period";
import { fail, TollgateError } from "@tollgate/core/errors";
import type { Event } from "@tollgate/core/event";
import { microcents } from "@tollgate/core/money/money";
import { createCatalogue } from "@tollgate/core/pricing/catalogue";
import { textPrompt } from "@tollgate/core/pricing/prompt-size";
import { Allowances } from "@tollgate/gateway/budgets/allowances";
import { Budgets } from "@tollgate/gateway/budgets/budgets";
import type { Patience } from "@tollgate/gateway/budgets/headroom-queue";
import type { Hold } from "@tollgate/gateway/budgets/hold";
import type { Identified, Routed } from "@tollgate/gateway/call/call";
import { Metrics } from "@tollgate/gateway/metrics";
import { DatabaseUnavailable } from "@tollgate/storage/engine/database-unavailable";
import type { AllowanceRequest } from "@tollgate/storage/shared-ledger/grant-share";
import { sampleSettlement } from "../sample-event.ts";
import type { Machine, MachineTime } from "../waiting/machine-time.ts";
import { flatPrice } from "./budget-lab.ts";
import { type BankClient, NODE_SILENCE_MS, type SimulatedBank, type StoredBudget } from "./simulated-bank.ts";

const RENEW_EVERY_MS = 10_000;
const SHIP_EVERY_MS = 1000;
const REPORT_POLL_MS = 200;
/** Until a change of the configuration is known, if no notification arrives. */
const MAX_HEARING_MS = 1000;
/** Reports are required of every node that is not silent for so long. */
const EXCUSED_AFTER_MS = 15_000;
/** In a second, for calls that wait: one every 50 ms, and some for renewals. */
const MAX_REQUESTS = 24;
const PROMPT_BYTES = 10;
const catalogue = createCatalogue({ overrides: flatPrice });
const sample = sampleSettlement("sample").event;
const identified = {
  caller: { orgId: sample.org_id, mode: sample.mode, keyId: "key" },
  agentKey: sample.agent_key,
  customerId: null,
  pair: null,
} as Identified;

export interface SimulatedCall {
  /** The client's own limit; null: none, so that the length of earlier answers is expected. */
  readonly askedTokens: number | null;
  readonly answeredTokens: number;
  readonly takesMs: number;
  readonly ending: "answered" | "not made" | "estimated";
}

/** Spend that no grant has to cover. */
interface Uncovered {
  /** Made while its node did not know that the budget blocks: other nodes must wait for its report. */
  readonly isUnblocked: boolean;
  microcents: number;
}

interface OpenCall {
  readonly hold: Hold;
  readonly account: BudgetAccount;
  readonly expected: Expectation;
  readonly createdAtMs: number;
  readonly call: SimulatedCall;
  readonly uncovered: Uncovered | null;
  /** What its node had left when it was admitted. */
  readonly leftMicrocents: number;
}

/** What the bank knew when it last answered a node. */
interface Known {
  readonly atMs: number;
  /** By node: how much of its uncovered spend. */
  readonly uncovered: ReadonlyMap<string, number>;
  /** Nodes whose spend from before the budget blocked was reported, or had to be awaited. */
  readonly reporting: ReadonlySet<string>;
}

/** What a gateway knows of the simulation. */
interface Simulation {
  readonly time: MachineTime;
  readonly bank: SimulatedBank;
  readonly gateways: readonly SimulatedGateway[];
  readonly stats: { admitted: number; refused: number; requests: number; checked: number };
  /** What must not have happened. */
  readonly violations: string[];
  nextDelayMs(): number;
  covered(reader: SimulatedGateway, period: string): number;
}

/**
 * One gateway with the real admission and the real allowances, a ledger in memory, and clocks that the simulation moves. It
 * checks each call that it admits under a budget that blocks.
 */
export class SimulatedGateway implements BankClient {
  machine: Machine = { isDead: false, frozenUntilMs: 0 };
  isCutOff = false;
  losesAnswers = false;
  isStopped = false;
  readonly open = new Set<OpenCall>();
  readonly #requestsAtMs: number[] = [];
  /** When calls were admitted, money was settled, or the budget was changed. */
  readonly #reasonsAtMs: number[] = [];
  readonly #events: { readonly event: Event; readonly period: string }[] = [];
  #shippedCount = 0;
  #heard: StoredBudget;
  #heardAtMs = 0;
  #reportedRevision: number | null = null;
  #allowances!: Allowances;
  #budgets!: Budgets;
  readonly #inFlight = new Set<string>();
  /** By period: settled uncovered spend, in order, and uncovered calls in flight. */
  readonly #uncovered = new Map<string, Uncovered[]>();
  readonly #uncoveredInFlight = new Map<string, Set<Uncovered>>();
  /** By period: how much of it the bank knows. */
  readonly #committed = new Map<string, number>();
  readonly #known = new Map<string, Known>();
  /** By period: the newest `blockingSinceMs` that this node knew when it sent a request that was committed. */
  readonly #reportedSince = new Map<string, number>();
  readonly #sent = new Map<AllowanceRequest, { uncovered: number; since: number | null }>();
  readonly #atCommit = new Map<AllowanceRequest, Known>();
  readonly #accounts = new Map<string, Set<BudgetAccount>>();
  /** By period: how far settled calls have exceeded what was left. */
  readonly #excess = new Map<string, number>();
  #shareMicrocents = 0;

  constructor(
    readonly id: string,
    readonly all: Simulation,
    readonly now: () => number,
  ) {
    this.#heard = all.bank.stored;
  }

  nextDelayMs(): number {
    return this.all.nextDelayMs();
  }

  get isRunning(): boolean {
    return !this.machine.isDead && !this.isStopped;
  }

  get currentPeriod(): string {
    return this.#period(this.now());
  }

  start(): void {
    this.machine = { isDead: false, frozenUntilMs: 0 };
    this.isStopped = false;
    this.#inFlight.clear();
    this.#heard = this.all.bank.stored;
    this.#heardAtMs = this.all.time.nowMs;
    this.#reportedRevision = null;
    this.#recover();
    this.#allowances = new Allowances({
      bank: { ask: request => this.#ask(request) },
      changed: budget => this.#budgets.wake(budget),
      onFault: fault => {
        if (!(fault instanceof DatabaseUnavailable)) this.all.violations.push(String(fault));
      },
      uptimeMs: () => this.all.time.nowMs,
    });
    const recent = [3, 5, 5, 6, 5, 5, 4, 5, 7, 5].map(output_tokens => ({
      agent_key: sample.agent_key,
      model: "flat",
      output_tokens,
    }));
    this.#budgets = new Budgets(
      { refresh() {}, budgetsOf: () => [this.#heard.budget] },
      {
        budgetSpend: (budget, span) => {
          let settled = 0;
          let withheld = 0;
          for (const { event, period } of this.#events) {
            if (period !== span.id) continue;
            settled += event.cost_microcents;
            withheld += withheldBy(event.budget_flags, budget);
          }
          return { settledMicrocents: microcents(settled), withheldMicrocents: microcents(withheld) };
        },
        recentAnswers: () => recent as ReturnType<ConstructorParameters<typeof Budgets>[1]["recentAnswers"]>,
      },
      { of: () => catalogue },
      new Metrics(),
      null,
      {
        isSpent: (budget, account) => this.#allowances.isSpent(budget, account),
        admitted: account => this.#allowances.admitted(account),
        counted: (budget, account) => this.#allowances.counted(budget, account),
        report: (budget, account) => this.#allowances.report(budget, account),
        of: (budget, account, need) => {
          const share = this.#allowances.of(budget, account, need);
          this.#shareMicrocents = share.limitMicrocents;
          return share;
        },
      },
    );
    const { time } = this.all;
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

  /** Gives nothing back. Calls in flight are settled as interrupted when it starts again. */
  die(): void {
    this.machine.isDead = true;
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    for (const one of [...this.open]) this.#conclude(one, true);
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
    this.#reportSoon();
  }

  /** As `reportSpend` does. */
  #reportSoon(): void {
    this.all.time.after((this.all.nextDelayMs() * 37) % REPORT_POLL_MS, this.machine, () => {
      const { budget, revision } = this.#heard;
      if (this.isStopped || this.#reportedRevision === revision) return;
      this.#reportedRevision = revision;
      if (isBlocking(budget)) this.#budgets.reportSpend(budget, this.now());
    });
  }

  ingest(cost: number): void {
    const createdAtMs = this.now();
    const period = this.#period(createdAtMs);
    this.#settled(period).push({ isUnblocked: !isBlocking(this.#heard.budget), microcents: cost });
    this.#record(sample, createdAtMs, { source: "ingest", cost_microcents: microcents(cost) });
    const event = this.#events.at(-1)?.event;
    if (event !== undefined) this.#budgets.count(event);
  }

  /** Resolves when it was admitted (true) or refused. */
  async call(call: SimulatedCall): Promise<boolean> {
    const { stats } = this.all;
    const routed = {
      provider: { id: "openai" },
      model: "flat",
      body: {},
      bytes: new Uint8Array(PROMPT_BYTES),
      exchange: { prompt: textPrompt(PROMPT_BYTES), upstream: { maxOutputTokens: call.askedTokens } },
      summary: { maxOutputTokens: call.askedTokens, choices: 1 },
    } as unknown as Routed;
    try {
      const isIn = this.#tryCall(call, routed, "patient");
      if (isIn === null) {
        await this.#budgets.waitForHeadroom(identified, patience => {
          if (this.isStopped) throw fail("shutting_down", "the gateway is shutting down");
          return this.#tryCall(call, routed, patience);
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

  used(period: string): number {
    let used = 0;
    for (const one of this.#events) {
      if (one.period === period) used += one.event.cost_microcents + this.#withheld(one.event);
    }
    for (const account of this.#accounts.get(period) ?? []) used += account.reservedMicrocents;
    return used;
  }

  /** How far one of its calls may exceed what was left when it was admitted. */
  excess(period: string): number {
    let excess = this.#excess.get(period) ?? 0;
    for (const { createdAtMs, expected, leftMicrocents } of this.open) {
      if (this.#period(createdAtMs) === period) excess = Math.max(excess, upperOf(expected) - leftMicrocents);
    }
    return excess;
  }

  shipped(period: string): number {
    let spent = 0;
    for (const one of this.#events.slice(0, this.#shippedCount)) {
      if (one.period === period) spent += one.event.cost_microcents + this.#withheld(one.event);
    }
    return spent;
  }

  /** What this one has spent of the period without a grant, and the reader's grant need not cover. */
  unknownTo(reader: SimulatedGateway, period: string): number {
    if (reader === this) return 0;
    const known = reader.#known.get(period);
    const { blockingSinceMs: since } = this.all.bank.stored;
    // Nothing that was granted before then may be used.
    const mustReport = known === undefined || known.atMs < (since ?? 0) || known.reporting.has(this.id);
    const knownCount = known?.uncovered.get(this.id) ?? 0;
    let unknown = 0;
    for (const [index, one] of (this.#uncovered.get(period) ?? []).entries()) {
      if (index >= knownCount && !(one.isUnblocked && mustReport)) unknown += one.microcents;
    }
    for (const one of this.#uncoveredInFlight.get(period) ?? []) {
      if (!(one.isUnblocked && mustReport)) unknown += one.microcents;
    }
    return unknown;
  }

  /** The request was committed. */
  committed(request: AllowanceRequest): void {
    const sent = this.#sent.get(request);
    if (sent === undefined) throw new Error("committed but not sent");
    const { period } = request;
    this.#committed.set(period, sent.uncovered);
    if (sent.since !== null) this.#reportedSince.set(period, sent.since);
    const { gateways, time } = this.all;
    this.#atCommit.set(request, {
      atMs: time.nowMs,
      uncovered: new Map(gateways.map(one => [one.id, one.#committed.get(period) ?? 0] as const)),
      reporting: new Set(gateways.filter(one => one.#isReporting(period)).map(({ id }) => id)),
    });
  }

  #isReporting(period: string): boolean {
    const { bank, time } = this.all;
    const { blockingSinceMs: since } = bank.stored;
    if (since === null) return false;
    if ((this.#reportedSince.get(period) ?? -1) >= since) return true;
    const silenceMs = time.nowMs - (bank.lastSeenMs.get(this.id) ?? 0);
    const isExcused = bank.isAccountedFor(this.id, period) || time.nowMs >= since + EXCUSED_AFTER_MS;
    return !isExcused && silenceMs <= NODE_SILENCE_MS;
  }

  answered(request: AllowanceRequest): void {
    const known = this.#atCommit.get(request);
    if (known === undefined) throw new Error("answered but not committed");
    this.#known.set(request.period, known);
  }

  async #ask(request: AllowanceRequest) {
    if (this.#inFlight.has(request.period)) this.all.violations.push(`${this.id} has two requests in flight`);
    this.#inFlight.add(request.period);
    this.all.stats.requests++;
    this.#requestsAtMs.push(this.all.time.nowMs);
    const requests = countSince(this.#requestsAtMs, this.all.time.nowMs - 1000);
    const reasons = countSince(this.#reasonsAtMs, this.all.time.nowMs - 3000);
    if (requests > MAX_REQUESTS + 2 * reasons) {
      this.all.violations.push(`${this.id} sends ${requests} requests in a second for ${reasons} reasons`);
    }
    this.#sent.set(request, {
      uncovered: this.#uncovered.get(request.period)?.length ?? 0,
      since: this.#heard.blockingSinceMs,
    });
    try {
      return await this.all.bank.ask(this, request);
    } finally {
      this.#inFlight.delete(request.period);
    }
  }

  #tryCall(call: SimulatedCall, routed: Routed, patience: Patience): true | null {
    const createdAtMs = this.now();
    const period = this.#period(createdAtMs);
    const heard = this.#heard;
    const { stored } = this.all.bank;
    // A node that has not heard of the last changes goes by what it knows.
    const isCurrent =
      heard.blockingSinceMs === stored.blockingSinceMs &&
      heard.budget.limitMicrocents <= stored.budget.limitMicrocents;
    const isGuarded = isBlocking(heard.budget) && isCurrent;
    const before = isGuarded ? this.all.covered(this, period) : 0;
    const usedBefore = this.used(period);
    const hold = this.#budgets.reserve(identified, routed, createdAtMs, patience);
    if (hold.kind === "wait") return null;
    if (hold.kind !== "held") throw new Error("the budget applies to every call");
    const reservation = hold.reservations[0];
    if (reservation === undefined) throw new Error("nothing is reserved");
    const { account, expected } = reservation;
    const needed = hold.strict === null ? 1 : hold.strict.worstMicrocents;
    if (isGuarded) {
      this.all.stats.checked++;
      const held = this.all.bank.heldBy(this.id, period);
      if (usedBefore + needed > held) {
        this.all.violations.push(
          `${this.id} at ${this.all.time.nowMs} ms: ${usedBefore} are used, the bank holds ${held}, and a call that needs ${needed} is admitted`,
        );
      }
      // Nothing that was granted of a higher limit may be used once the lower one is known.
      const limit = this.all.bank.highestLimitSince(
        Math.max(this.#heardAtMs, this.#known.get(period)?.atMs ?? 0),
      );
      if (before + needed > limit) {
        this.all.violations.push(
          `${this.id} at ${this.all.time.nowMs} ms: ${before} of ${limit} are used, and a call that needs ${needed} is admitted`,
        );
      }
    }
    const uncovered = isGuarded
      ? null
      : { isUnblocked: !isGuardedByOlder(heard, stored), microcents: upperOf(expected) };
    const open: OpenCall = {
      hold,
      account,
      expected,
      createdAtMs,
      call,
      uncovered,
      leftMicrocents: isGuarded ? this.#shareMicrocents - usedBefore : Number.POSITIVE_INFINITY,
    };
    this.open.add(open);
    this.#reasonsAtMs.push(this.all.time.nowMs);
    getOrMake(this.#accounts, period, () => new Set<BudgetAccount>()).add(account);
    if (uncovered !== null) {
      getOrMake(this.#uncoveredInFlight, period, () => new Set<Uncovered>()).add(uncovered);
    }
    this.all.time.after(call.takesMs, this.machine, () => this.#conclude(open, false));
    return true;
  }

  #conclude(open: OpenCall, isInterrupted: boolean): void {
    if (!this.open.delete(open)) return;
    const { hold, expected, call, uncovered, createdAtMs } = open;
    const period = this.#period(createdAtMs);
    if (uncovered !== null) this.#uncoveredInFlight.get(period)?.delete(uncovered);
    if (call.ending === "not made" && !isInterrupted) {
      this.#budgets.release({ orgId: sample.org_id, mode: sample.mode }, hold);
      return;
    }
    const event = this.#settle(open, isInterrupted);
    const total = event.cost_microcents + this.#withheld(event);
    const mean = hold.strict === null ? expected.meanMicrocents : hold.strict.worstMicrocents;
    if (uncovered !== null) {
      uncovered.microcents = Math.min(total, mean);
      this.#settled(period).push(uncovered);
    }
    const excess = Math.min(total, mean) - open.leftMicrocents;
    if (excess > (this.#excess.get(period) ?? 0)) this.#excess.set(period, excess);
    if (total > mean) this.#settled(period).push({ isUnblocked: false, microcents: total - mean });
    this.#budgets.conclude(event, hold);
  }

  #settle({ hold, call, createdAtMs, expected }: OpenCall, isInterrupted: boolean): Event {
    const worst = hold.strict?.worstMicrocents ?? Number.MAX_SAFE_INTEGER;
    const tokens =
      hold.strict === null ? call.answeredTokens : Math.min(call.answeredTokens, hold.strict.outputTokens);
    const cost = Math.min(worst, isInterrupted ? expected.meanMicrocents : PROMPT_BYTES * 3 + tokens * 100);
    const isEstimated = isInterrupted || call.ending === "estimated";
    const rest = isEstimated && hold.strict !== null ? worst - cost : 0;
    return this.#record(sample, createdAtMs, {
      cost_microcents: microcents(cost),
      output_tokens: tokens,
      status: isInterrupted ? "interrupted" : "success",
      budget_flags: rest === 0 ? null : [withheldFlag(this.#heard.budget, microcents(rest))],
    });
  }

  #record(from: Event, createdAtMs: number, change: Partial<Event>): Event {
    const event = { ...from, model: "flat", created_at: createdAtMs, ...change };
    this.#events.push({ event, period: this.#period(createdAtMs) });
    this.#reasonsAtMs.push(this.all.time.nowMs);
    return event;
  }

  #ship(): void {
    if (this.isCutOff) return;
    this.#shippedCount = this.#events.length;
    this.all.bank.lastSeenMs.set(this.id, this.all.time.nowMs);
  }

  #recover(): void {
    for (const open of [...this.open]) {
      this.open.delete(open);
      const period = this.#period(open.createdAtMs);
      this.#settle(open, true);
      if (open.uncovered !== null) {
        this.#uncoveredInFlight.get(period)?.delete(open.uncovered);
        this.#settled(period).push(open.uncovered);
      }
    }
    this.#accounts.clear();
  }

  #period(createdAtMs: number): string {
    const { budget } = this.#heard;
    return periodSpan(budget.period, countedAt(budget, createdAtMs)).id;
  }

  #withheld(event: Event): number {
    return withheldBy(event.budget_flags, this.#heard.budget);
  }

  #settled(period: string): Uncovered[] {
    return getOrMake(this.#uncovered, period, () => []);
  }
}

/** It blocked all the time, and only its limit was lowered. */
function isGuardedByOlder(heard: StoredBudget, stored: StoredBudget): boolean {
  return heard.blockingSinceMs !== null && heard.blockingSinceMs === stored.blockingSinceMs;
}

function countSince(timesMs: readonly number[], sinceMs: number): number {
  let count = 0;
  for (let index = timesMs.length - 1; index >= 0 && (timesMs[index] ?? 0) > sinceMs; index--) count++;
  return count;
}

function upperOf({ meanMicrocents, spreadMicrocents }: Expectation): number {
  return meanMicrocents + Math.ceil(Z_95 * spreadMicrocents);
}

function getOrMake<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
