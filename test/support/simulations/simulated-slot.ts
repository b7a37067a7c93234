import type { BudgetAccount } from "@tollgate/core/budgets/account";
import { type Expectation, Z_95 } from "@tollgate/core/budgets/expectation";
import type { SlotKey } from "./simulated-bank.ts";

/** Spend that no grant has to cover. */
export interface Uncovered {
  /** Made while its node did not know that the budget blocks: other nodes must wait for its report. */
  readonly isUnblocked: boolean;
  microcents: number;
}

/** What an open call has reserved of one budget. */
export interface SimulatedReservation {
  readonly slot: SimulatedSlot;
  readonly account: BudgetAccount;
  readonly expected: Expectation;
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

/** What one gateway has spent of one budget in one period, counted apart from the gateway's own account. */
export class SimulatedSlot {
  settledMicrocents = 0;
  /** Settled uncovered spend, in order, and that of calls in flight. */
  readonly uncovered: Uncovered[] = [];
  readonly uncoveredInFlight = new Set<Uncovered>();
  /** How many of `uncovered` the bank knows. */
  committedCount = 0;
  known: Known | null = null;
  /** The newest `blockingSinceMs` that this node knew when it sent a request that was committed. */
  reportedSinceMs: number | null = null;
  readonly reservations = new Set<SimulatedReservation>();
  isAsking = false;
  readonly requestsAtMs: number[] = [];
  /** How far settled calls have exceeded what was left. */
  settledExcess = 0;

  constructor(
    readonly name: string,
    readonly key: SlotKey,
  ) {}

  get usedMicrocents(): number {
    return this.settledMicrocents + reserved([...this.reservations]);
  }

  /** How far one of its calls may exceed what was left when it was admitted. */
  get excess(): number {
    let excess = this.settledExcess;
    for (const { expected, leftMicrocents } of this.reservations) {
      excess = Math.max(excess, upperOf(expected) - leftMicrocents);
    }
    return excess;
  }

  /** How the account differs from the ledger and the open calls; null: it does not. */
  differenceOf(account: BudgetAccount): string | null {
    const settled = account.settledMicrocents + account.withheldMicrocents;
    if (settled !== this.settledMicrocents) {
      return `${this.name}: the account has settled ${settled} instead of ${this.settledMicrocents}`;
    }
    const expected = reserved([...this.reservations].filter(one => one.account === account));
    // The account adds and subtracts fractions.
    if (Math.abs(account.reservedMicrocents - expected) <= 1) return null;
    return `${this.name}: the account has reserved ${account.reservedMicrocents} instead of ${expected}`;
  }
}

/** Its call has ended, and cost `total`. */
export function settleIn(
  { slot, expected, uncovered, leftMicrocents }: SimulatedReservation,
  total: number,
): void {
  const { meanMicrocents: mean } = expected;
  if (uncovered !== null) {
    uncovered.microcents = Math.min(total, mean);
    slot.uncovered.push(uncovered);
  }
  slot.settledExcess = Math.max(slot.settledExcess, Math.min(total, mean) - leftMicrocents);
  if (total > mean) slot.uncovered.push({ isUnblocked: false, microcents: total - mean });
}

export function upperOf({ meanMicrocents, spreadMicrocents }: Expectation): number {
  return meanMicrocents + Math.ceil(Z_95 * spreadMicrocents);
}

function reserved(reservations: readonly SimulatedReservation[]): number {
  let mean = 0;
  let variance = 0;
  for (const { expected } of reservations) {
    mean += expected.meanMicrocents;
    variance += expected.spreadMicrocents ** 2;
  }
  // Not one more for an error of rounding.
  return mean + Math.ceil(Z_95 * Math.sqrt(variance) - 1e-6);
}
