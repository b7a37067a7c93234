import { type Microcents, microcents, saturated, ZERO_MICROCENTS } from "../money/money.ts";
import { type Expectation, NEARLY_ALWAYS } from "./expectation.ts";

export type Room =
  | "room"
  | "later" // only reservations stand in the way, and they may never become cost
  | "none";

/** What a period has used up. */
export interface Spend {
  readonly settled: Microcents;
  readonly withheld: Microcents;
}

/** What an ordinary call needs to see: a call is let in as long as the limit is not reached. */
export const ANY_ROOM = microcents(1);

/**
 * One budget in one period. Settled is what events have cost, reserved what the calls under way will nearly always
 * cost together. Together, not each: of two hundred calls some cost more than usual and others less, and the 95th
 * percentile of each, added up, would refuse calls while half of the money is still there.
 * Whoever reserves releases the same once, whatever the call cost in the end.
 */
export class BudgetAccount {
  #settled: Microcents;
  #withheld: Microcents;
  #reserved: Microcents = ZERO_MICROCENTS;
  #underWay = 0;
  #mean: Microcents = ZERO_MICROCENTS;
  #variance = 0;

  constructor(
    readonly since: number,
    readonly startsAt: number,
    /** Excluded. */
    readonly endsAt: number,
    { settled, withheld }: Spend,
  ) {
    this.#settled = settled;
    this.#withheld = withheld;
  }

  get settled(): Microcents {
    return this.#settled;
  }

  get reserved(): Microcents {
    return this.#reserved;
  }

  get withheld(): Microcents {
    return this.#withheld;
  }

  covers(since: number, at: number): boolean {
    return this.since === since && at >= this.startsAt && at < this.endsAt;
  }

  /** A call of which at least `need` must fit below the limit. */
  room(limit: Microcents, need: Microcents): Room {
    const gone = this.#settled + this.#withheld;
    if (gone + need > limit) return "none";
    return gone + this.#reserved + need > limit ? "later" : "room";
  }

  /** What nothing has taken yet. */
  left(limit: Microcents): Microcents {
    return microcents(Math.max(0, limit - this.#settled - this.#withheld - this.#reserved));
  }

  reserve(expected: Expectation): void {
    this.#underWay++;
    this.#mean = saturated(this.#mean + expected.mean);
    this.#variance += expected.spread ** 2;
    this.#addUp();
  }

  release(expected: Expectation): void {
    this.#underWay--;
    this.#mean = microcents(Math.max(0, this.#mean - expected.mean));
    // Sums of fractions do not come back to zero by themselves.
    this.#variance = this.#underWay === 0 ? 0 : Math.max(0, this.#variance - expected.spread ** 2);
    this.#addUp();
  }

  #addUp(): void {
    this.#reserved = saturated(this.#mean + Math.ceil(NEARLY_ALWAYS * Math.sqrt(this.#variance)));
  }

  /** Kept back until the period ends: the provider may yet bill it for a call whose cost was estimated. */
  withhold(amount: Microcents): void {
    this.#withheld = saturated(this.#withheld + amount);
  }

  settle(cost: Microcents): void {
    this.#settled = saturated(this.#settled + cost);
  }
}
