import { type Microcents, microcents, saturated, ZERO_MICROCENTS } from "../money/money.ts";
import { type Expectation, Z_95 } from "./expectation.ts";

type Headroom =
  | "free"
  | "reserved" // by calls in flight, whose reservations may never become cost
  | "none";

/** Settled and withheld amounts of a period. */
export interface Spend {
  readonly settledMicrocents: Microcents;
  readonly withheldMicrocents: Microcents;
}

/** An ordinary call is admitted until the limit is reached. */
export const MIN_HEADROOM = microcents(1);

/**
 * One budget in one period. Settled is the cost of events; reserved is the 95th percentile of the total cost of calls
 * in flight. Of the total, not per call: of two hundred calls some cost more than usual and others less, and the sum of
 * their individual 95th percentiles would refuse calls while half of the money is unspent. A caller releases exactly
 * what it reserved, once, whatever the call cost.
 */
export class BudgetAccount {
  #settled: Microcents;
  #withheld: Microcents;
  #reserved: Microcents = ZERO_MICROCENTS;
  #underWay = 0;
  #mean: Microcents = ZERO_MICROCENTS;
  #variance = 0;

  constructor(
    readonly sinceMs: number,
    readonly startsAtMs: number,
    /** Exclusive. */
    readonly endsAtMs: number,
    { settledMicrocents: settled, withheldMicrocents: withheld }: Spend,
  ) {
    this.#settled = settled;
    this.#withheld = withheld;
  }

  get settledMicrocents(): Microcents {
    return this.#settled;
  }

  get reservedMicrocents(): Microcents {
    return this.#reserved;
  }

  get withheldMicrocents(): Microcents {
    return this.#withheld;
  }

  covers(sinceMs: number, atMs: number): boolean {
    return this.sinceMs === sinceMs && atMs >= this.startsAtMs && atMs < this.endsAtMs;
  }

  /** The headroom for a call that needs at least `neededMicrocents` below the limit. */
  headroom(limitMicrocents: Microcents, neededMicrocents: Microcents): Headroom {
    const gone = this.#settled + this.#withheld;
    if (gone + neededMicrocents > limitMicrocents) return "none";
    return gone + this.#reserved + neededMicrocents > limitMicrocents ? "reserved" : "free";
  }

  /** The amount that is neither settled, withheld nor reserved. */
  headroomMicrocents(limitMicrocents: Microcents): Microcents {
    return microcents(Math.max(0, limitMicrocents - this.#settled - this.#withheld - this.#reserved));
  }

  reserve(expected: Expectation): void {
    this.#underWay++;
    this.#mean = saturated(this.#mean + expected.meanMicrocents);
    this.#variance += expected.spreadMicrocents ** 2;
    this.#addUp();
  }

  release(expected: Expectation): void {
    this.#underWay--;
    this.#mean = microcents(Math.max(0, this.#mean - expected.meanMicrocents));
    // Sums of fractions do not return to exactly zero by themselves.
    this.#variance = this.#underWay === 0 ? 0 : Math.max(0, this.#variance - expected.spreadMicrocents ** 2);
    this.#addUp();
  }

  #addUp(): void {
    this.#reserved = saturated(this.#mean + Math.ceil(Z_95 * Math.sqrt(this.#variance)));
  }

  /** Unavailable until the period ends: the provider may still bill it for a call whose cost was estimated. */
  withhold(amountMicrocents: Microcents): void {
    this.#withheld = saturated(this.#withheld + amountMicrocents);
  }

  settle(costMicrocents: Microcents): void {
    this.#settled = saturated(this.#settled + costMicrocents);
  }
}
