import { type Microcents, microcents, saturated, ZERO_MICROCENTS } from "@tollgate/core/money/money";

/** One budget in one period. */
export interface BudgetShareKey {
  readonly orgId: string;
  readonly budgetId: string;
  readonly sinceMs: number;
  readonly period: string;
}

export interface AllowanceRequest extends BudgetShareKey {
  readonly limitMicrocents: Microcents;
  /** As far as this node knows. Before it knows of a change, it has not reported what it spent until then. */
  readonly blockingSinceMs: number | null;
  /** What this node has settled and withheld, which is granted in any case. */
  readonly settledMicrocents: Microcents;
  /** The same, and what its calls in flight have reserved. */
  readonly usedMicrocents: Microcents;
  /** What it may use until the answer arrives, which may get lost: the bank leaves it to no other node before the next request. */
  readonly keptMicrocents: Microcents;
  /** The least that helps; 0: only renews the lease. */
  readonly wantedMicrocents: Microcents;
  /** What all waiting calls need together. */
  readonly awaitedMicrocents: Microcents;
  /** Gives back everything that is not used. */
  readonly givesBack: boolean;
}

export interface Allowance {
  /** All that this node may use of the limit in the period. Calls in flight may have reserved more while it did not block. */
  readonly grantedMicrocents: Microcents;
  /** The budget has become blocking, and another node has not yet reported what it has spent: no call may be admitted. */
  readonly awaitsReports: boolean;
  /** This node has the last part, and may use it up to the last microcent. */
  readonly isLast: boolean;
  /** The nodes together have settled the whole limit: no call in flight can release anything of it. */
  readonly isSpent: boolean;
  /** What the other nodes have reported as settled or withheld, and what this one no longer knows of. */
  readonly settledElsewhereMicrocents: Microcents;
}

/**
 * A grant is an eighth of what is left, so that other nodes find something too. Calls that wait for it get up to half: with
 * eighths, a herd at the end of a budget would have to wait for many requests, longer than a call waits.
 */
export const GRANT_DIVISOR = 8;
const AWAITED_DIVISOR = 2;

/** What a node holds, as the bank has stored it. */
export interface Share {
  readonly node_id: string;
  readonly granted_microcents: number;
  readonly settled_microcents: number;
  readonly lost_microcents: number;
  readonly is_last: number;
}

/** What the bank knows of the budget itself. */
interface StoredBudget {
  /** null: it is not stored, as the bounds of verifications. */
  readonly limitMicrocents: number | null;
  /** Another node has not reported since the budget became blocking. */
  readonly awaitsReports: boolean;
}

interface Granted {
  readonly answer: Allowance;
  /** What the bank stores. */
  readonly row: {
    readonly granted_microcents: number;
    readonly used_microcents: number;
    readonly settled_microcents: number;
    readonly lost_microcents: number;
    readonly is_last: number;
  };
}

/** The bank's decision about one request. A node that reports less than before has lost a part of its ledger. */
export function grantShare(
  request: AllowanceRequest,
  shares: readonly Share[],
  nodeId: string,
  { limitMicrocents, awaitsReports }: StoredBudget,
): Granted {
  // A node may not know yet that the limit was lowered.
  const limit = Math.min(request.limitMicrocents, limitMicrocents ?? request.limitMicrocents);
  const lost = lostBy(
    request,
    shares.find(({ node_id }) => node_id === nodeId),
  );
  const used = saturated(request.usedMicrocents + lost);
  const { heldMicrocents, ...own } = divide(
    {
      ...request,
      limitMicrocents: microcents(limit),
      wantedMicrocents: awaitsReports ? ZERO_MICROCENTS : request.wantedMicrocents,
      settledMicrocents: saturated(request.settledMicrocents + lost),
      usedMicrocents: used,
      keptMicrocents: saturated(request.keptMicrocents + lost),
    },
    shares,
    nodeId,
  );
  return {
    // The node does not know what it has lost.
    answer: {
      ...own,
      awaitsReports,
      grantedMicrocents: microcents(Math.max(0, own.grantedMicrocents - lost)),
      settledElsewhereMicrocents: saturated(own.settledElsewhereMicrocents + lost),
    },
    row: {
      granted_microcents: heldMicrocents,
      used_microcents: used,
      settled_microcents: request.settledMicrocents,
      lost_microcents: lost,
      is_last: own.isLast ? 1 : 0,
    },
  };
}

function lostBy({ settledMicrocents }: AllowanceRequest, mine: Share | undefined): Microcents {
  if (mine === undefined) return ZERO_MICROCENTS;
  return saturated(mine.lost_microcents + Math.max(0, mine.settled_microcents - settledMicrocents));
}

interface Division extends Omit<Allowance, "awaitsReports"> {
  /** What is not left to other nodes: the grant, or more if calls in flight have reserved more, or if it was more until now. */
  readonly heldMicrocents: Microcents;
}

/** The new share of one node. */
export function divide(request: AllowanceRequest, shares: readonly Share[], nodeId: string): Division {
  const { limitMicrocents: limit, usedMicrocents: used, wantedMicrocents: wanted } = request;
  const mine = shares.find(({ node_id }) => node_id === nodeId);
  const others = shares.filter(({ node_id }) => node_id !== nodeId);
  const heldByOthers = sum(others.map(({ granted_microcents }) => granted_microcents));
  const settledByOthers = sum(others.map(share => share.settled_microcents + share.lost_microcents));
  const isSpent = request.settledMicrocents + settledByOthers >= limit;
  const kept = request.givesBack ? used : Math.max(mine?.granted_microcents ?? 0, used);
  // The limit may have been lowered since.
  const held = Math.max(used, Math.min(kept, limit - heldByOthers));
  const left = Math.max(0, limit - heldByOthers - held);
  const awaited = Math.min(request.awaitedMicrocents, Math.floor(left / AWAITED_DIVISOR));
  const part = Math.max(wanted, awaited, Math.floor(left / GRANT_DIVISOR));
  const grant = wanted === 0 ? 0 : Math.min(left, part);
  // One that had the last part keeps it, even if it is used up: its last call may have exceeded it, and that of another
  // node must not exceed its own as well.
  const isAll = grant === left && (held + grant > used || mine?.is_last === 1);
  const isLast = !request.givesBack && isAll && others.every(({ is_last }) => is_last === 0);
  // A part that is too small for a call would only be missing elsewhere.
  const isUseless = !isLast && wanted > 0 && held + grant - used < wanted;
  const own = isUseless ? used : held + grant;
  const keptUntilAnswered = Math.min(request.keptMicrocents, mine?.granted_microcents ?? 0);
  return {
    heldMicrocents: microcents(Math.max(own, keptUntilAnswered)),
    // A reservation is often more than its call costs. The difference is not this node's if others have spent it.
    grantedMicrocents: microcents(Math.max(0, Math.min(own, limit - heldByOthers))),
    isLast,
    isSpent,
    settledElsewhereMicrocents: saturated(settledByOthers),
  };
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}
