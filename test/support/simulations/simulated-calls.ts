import type { BudgetAccount } from "@tollgate/core/budgets/account";
import { appliesTo, type Budget, isBlocking } from "@tollgate/core/budgets/budget";
import { withheldBy } from "@tollgate/core/budgets/flags";
import { fail, TollgateError } from "@tollgate/core/errors";
import type { Event } from "@tollgate/core/event";
import { microcents } from "@tollgate/core/money/money";
import { textPrompt } from "@tollgate/core/pricing/prompt-size";
import type { Budgets } from "@tollgate/gateway/budgets/budgets";
import type { Patience } from "@tollgate/gateway/budgets/headroom-queue";
import { flagsOf, type Hold, type Reservation } from "@tollgate/gateway/budgets/hold";
import type { Shares } from "@tollgate/gateway/budgets/shares";
import type { Identified, Routed } from "@tollgate/gateway/request/routed";
import { sampleSettlement } from "../rows/sample-event.ts";
import type { Machine, MachineTime } from "../waiting/machine-time.ts";
import type { SimulatedBank, StoredBudgets } from "./simulated-bank.ts";
import { type SimulatedLedger, slotKeyOf } from "./simulated-ledger.ts";
import {
  type SimulatedReservation,
  type SimulatedSlot,
  settleIn,
  type Uncovered,
  upperOf,
} from "./simulated-slot.ts";

const PROMPT_BYTES = 10;
export const KEY_ID = "key";
export const sample = sampleSettlement("sample").event;

/** Whose calls they are, besides those of the organization and of the one key. */
export interface Caller {
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

/** The gateway that makes the calls. */
interface CallingGateway {
  readonly id: string;
  readonly machine: Machine;
  readonly isStopped: boolean;
  readonly budgets: Budgets;
  readonly ledger: SimulatedLedger;
  /** What it has heard of the configuration, and when. */
  readonly heard: StoredBudgets;
  readonly heardAtMs: number;
  now(): number;
  covered(slot: string): number;
  record(createdAtMs: number, change: Partial<Event>): Event;
  noteReason(): void;
}

interface Simulation {
  readonly time: MachineTime;
  readonly bank: SimulatedBank;
  readonly isShared: boolean;
  readonly stats: { admitted: number; refused: number; checked: number };
  readonly violations: string[];
}

/** The calls of one gateway. Each that is admitted under budgets that block is checked. */
export class SimulatedCalls {
  readonly #open = new Set<OpenCall>();
  readonly #shares = new WeakMap<BudgetAccount, number>();
  readonly #accounts = new Map<BudgetAccount, SimulatedSlot>();

  constructor(
    private readonly node: CallingGateway,
    private readonly all: Simulation,
  ) {}

  /** Notes the share of each call. */
  observed(shares: () => Shares): Shares {
    return {
      isSpent: (budget, account) => shares().isSpent(budget, account),
      admitted: account => shares().admitted(account),
      counted: (budget, account) => shares().counted(budget, account),
      report: (budget, account) => shares().report(budget, account),
      of: (budget, account, need) => {
        const share = shares().of(budget, account, need);
        this.#shares.set(account, share.limitMicrocents);
        return share;
      },
    };
  }

  interruptAll(): void {
    for (const one of [...this.#open]) this.#conclude(one, true);
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
        await this.node.budgets.waitForHeadroom(identified, patience => {
          if (this.node.isStopped) throw fail("shutting_down", "the gateway is shutting down");
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

  #tryCall(call: SimulatedCall, identified: Identified, routed: Routed, patience: Patience): true | null {
    const createdAtMs = this.node.now();
    const before = this.#beforeCall(call, createdAtMs);
    const hold = this.node.budgets.reserve(identified, routed, createdAtMs, patience);
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
    this.node.noteReason();
    this.#compareAccounts(open);
    this.all.time.after(call.takesMs, this.node.machine, () => this.#conclude(open, false));
    return true;
  }

  #beforeCall({ agent, customer }: Caller, createdAtMs: number): Map<string, Before> {
    const before = new Map<string, Before>();
    for (const budget of this.node.heard.budgets.values()) {
      if (!appliesTo(budget, agent, KEY_ID, customer, null)) continue;
      const slot = this.node.ledger.slot(slotKeyOf(budget, createdAtMs));
      const isGuarded = isBlocking(budget) && this.#isCurrent(budget);
      const coveredMicrocents = isGuarded ? this.node.covered(slot.name) : 0;
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
    const held = bank.heldBy(this.node.id, slot.name);
    if (isShared && usedMicrocents + needed > held) {
      violations.push(
        `${this.node.id} at ${time.nowMs} ms: ${usedMicrocents} of ${slot.name} are used, the bank holds ${held}, and a call that needs ${needed} is admitted`,
      );
    }
    // Nothing that was granted of a higher limit may be used once the lower one is known.
    const limit = isShared
      ? bank.highestLimitSince(budget.id, Math.max(this.node.heardAtMs, slot.known?.atMs ?? 0)) +
        bank.returned(slot.name)
      : budget.limitMicrocents;
    if (coveredMicrocents + needed > limit) {
      violations.push(
        `${this.node.id} at ${time.nowMs} ms: ${coveredMicrocents} of ${limit} of ${slot.name} are used, and a call that needs ${needed} is admitted`,
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
      if (this.node.heard.budgets.get(budgetId)?.sinceMs !== sinceMs) continue;
      if (bank.stored.budgets.get(budgetId)?.sinceMs !== sinceMs) continue;
      const difference = slot.differenceOf(account);
      if (difference !== null) this.all.violations.push(`${this.node.id}: ${difference}`);
    }
  }

  /** Every account whose calls have ended has nothing reserved. */
  checkReleased(): void {
    for (const [account, { name, reservations }] of this.#accounts) {
      if ([...reservations].some(one => one.account === account) || account.reservedMicrocents === 0)
        continue;
      this.all.violations.push(
        `${this.node.id}: ${account.reservedMicrocents} of ${name} are never released`,
      );
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
      this.node.budgets.release({ orgId: sample.org_id, mode: sample.mode }, hold);
    } else {
      this.node.budgets.conclude(this.#settle(open, isInterrupted), hold);
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
    const event = this.node.record(createdAtMs, {
      cost_microcents: cost,
      output_tokens: tokens,
      status: isInterrupted ? "interrupted" : "success",
      agent_key: call.agent,
      customer_id: call.customer,
      budget_flags: hold === null ? null : flagsOf(hold, cost, !isEstimated),
    });
    for (const slot of this.node.ledger.slotsOf(event)) {
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
    const isHeard = this.node.heard.budgets.get(slot.key.budgetId)?.sinceMs === slot.key.sinceMs;
    // If it was still open when this node heard of it, nothing of it was reserved, and no report contains it.
    slot.uncovered.push({ isUnblocked: !isHeard, microcents: total });
  }

  /** Calls that were open when the gateway died are settled as interrupted when it starts again. */
  recover(): void {
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
}

/** It blocked all the time, and only its limit was lowered. */
function isGuardedByOlder(heard: Budget, stored: Budget | undefined): boolean {
  return heard.blockingSinceMs !== null && heard.blockingSinceMs === stored?.blockingSinceMs;
}
