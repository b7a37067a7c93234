import type { Mode, PairMark } from "../event.ts";
import type { Microcents } from "../money/money.ts";
import { type BudgetFlags, isEarly } from "./flags.ts";
import type { BudgetPeriod } from "./period.ts";

export const enforcementModes = ["alert_only", "soft_block", "hard_block"] as const;

type EnforcementMode = (typeof enforcementModes)[number];

/** A budget as the gateway enforces it. */
export interface Budget {
  readonly id: string;
  readonly orgId: string;
  readonly mode: Mode;
  /** Whose calls it counts, one of the three; all null: the whole organization's. */
  readonly agentKey: string | null;
  readonly keyId: string | null;
  readonly customerId: string | null;
  /** The verification whose own calls it limits; null: a user's budget. */
  readonly verificationId: string | null;
  readonly period: BudgetPeriod | "lifetime";
  readonly limitMicrocents: Microcents;
  readonly enforcement: EnforcementMode;
  /** Reserves the worst case of every call, and is never exceeded. */
  readonly isStrict: boolean;
  /** Admits calls to models without a price, although they are not counted. */
  readonly allowsUnpriced: boolean;
  /** Tracked, not enforced. */
  readonly isPaused: boolean;
  /** Start of the counted spend: the creation or the last reset, in epoch milliseconds. */
  readonly sinceMs: number;
  /**
   * Of a budget that several gateways share: since when it has refused calls, by PostgreSQL's clock. Only compared for
   * equality. null: it does not refuse calls, or is not shared.
   */
  readonly blockingSinceMs: number | null;
}

/**
 * Given an organization's budgets for one mode, whether a call counts toward this one. A verification's calls also count
 * toward the budgets of its agent, but are made with no key and for no customer. Takes plain arguments, because the
 * gateway asks for every budget of every call.
 */
export function appliesTo(
  budget: Budget,
  agentKey: string,
  keyId: string | null,
  customerId: string | null,
  verificationId: string | null,
): boolean {
  if (budget.verificationId !== null) return budget.verificationId === verificationId;
  if (budget.agentKey !== null) return budget.agentKey === agentKey;
  if (budget.keyId !== null) return budget.keyId === keyId;
  return budget.customerId === null || budget.customerId === customerId;
}

interface CountedCall {
  readonly agent_key: string;
  readonly key_id: string | null;
  readonly customer_id: string | null;
  readonly created_at: number;
  readonly budget_flags: BudgetFlags;
  readonly pair: Pick<PairMark, "request_id"> | null;
}

/** Calls from before the budget do not count, unless it existed and only the clock was behind. */
export function countsToward(budget: Budget, call: CountedCall): boolean {
  const verificationId = call.pair === null ? null : call.pair.request_id;
  if (!appliesTo(budget, call.agent_key, call.key_id, call.customer_id, verificationId)) return false;
  return call.created_at >= budget.sinceMs || isEarly(call.budget_flags, budget);
}

/** The time that determines which period a call counts toward. */
export function countedAt(budget: Pick<Budget, "sinceMs">, createdAtMs: number): number {
  return Math.max(createdAtMs, budget.sinceMs);
}

export function isBlocking(budget: Budget): boolean {
  return budget.enforcement === "hard_block" && !budget.isPaused;
}
