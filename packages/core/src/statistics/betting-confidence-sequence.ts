/**
 * A confidence sequence for the mean of values in [−1, 1] by betting (Waudby-Smith and Ramdas 2024, hedged capital). It
 * may be evaluated after every value: the probability that a bound ever misses the mean is at most `alpha`.
 *
 * Two gamblers bet against every candidate mean, one that the values are higher and one that they are lower. If the
 * candidate is the true mean neither can expect to win, so by Ville's inequality the probability that a capital ever
 * reaches 1/α is at most α. A candidate whose gambler gets that rich is excluded permanently.
 *
 * The bet is chosen in advance: √(2 ln(1/α) / (v̂ n)) is the best constant one for n values of variance v̂. It is the same
 * for every candidate, except that no value may cost more than half of the capital. Hence the capitals are monotonic in
 * the candidate, the excluded candidates form the two ends of the scale, and testing one value (a margin) is equivalent
 * to asking whether the interval excludes it: a decision cannot contradict the interval.
 */

/** Candidates are the hundredths between −1 and 1, so a margin has to be a multiple of 0.01. */
const STEPS_PER_UNIT = 100;
const CANDIDATES = 2 * STEPS_PER_UNIT - 1;

/** The largest share of its capital that a gambler may lose to one value. */
const MAX_AT_STAKE = 0.5;

/** On the scale from 0 to 1. */
const candidates = Float64Array.from(
  { length: CANDIDATES },
  (_, index) => (index + 1) / (2 * STEPS_PER_UNIT),
);
const largestStakes = candidates.map(candidate => MAX_AT_STAKE / candidate);

/** The variance assumed before the first value: the largest possible in [0, 1], with the weight of one value. */
const PRIOR_VARIANCE = 0.25;
const PRIOR_MEAN = 0.5;

interface BettingPlan {
  /** Per bound. */
  readonly alpha: number;
  /** The expected maximum number of values. With more values the bets are slightly too small. */
  readonly plannedValues: number;
}

/** Everything that has to be stored between two values, as numbers that JSON preserves exactly. */
export interface BettingState {
  readonly values: number;
  readonly sum: number;
  readonly squaredResiduals: number;
  /** Candidates excluded from below and from above: −1 + below/100 is the lower bound. */
  readonly below: number;
  readonly above: number;
  /** Capitals of the remaining candidates, from the lowest; for the upper gamblers from the highest. */
  readonly lowerCapitals: readonly number[];
  readonly upperCapitals: readonly number[];
}

export class BettingConfidenceSequence {
  #values = 0;
  /** Of the values, on the scale from 0 to 1. */
  #sum = 0;
  #squaredResiduals = 0;
  #below = 0;
  #above = 0;
  readonly #lowerCapitals = new Float64Array(CANDIDATES).fill(1);
  readonly #upperCapitals = new Float64Array(CANDIDATES).fill(1);

  constructor(readonly plan: BettingPlan) {
    if (!(plan.alpha > 0 && plan.alpha < 1)) throw new RangeError(`alpha is not a level: ${plan.alpha}`);
    if (!(plan.plannedValues >= 1)) throw new RangeError(`no values are planned: ${plan.plannedValues}`);
  }

  static resume(plan: BettingPlan, state: BettingState): BettingConfidenceSequence {
    const sequence = new BettingConfidenceSequence(plan);
    sequence.#values = state.values;
    sequence.#sum = state.sum;
    sequence.#squaredResiduals = state.squaredResiduals;
    sequence.#below = state.below;
    sequence.#above = state.above;
    sequence.#lowerCapitals.set(state.lowerCapitals, state.below);
    sequence.#upperCapitals.set(state.upperCapitals, state.above);
    return sequence;
  }

  toJSON(): BettingState {
    return {
      values: this.#values,
      sum: this.#sum,
      squaredResiduals: this.#squaredResiduals,
      below: this.#below,
      above: this.#above,
      lowerCapitals: [...this.#lowerCapitals.subarray(this.#below)],
      upperCapitals: [...this.#upperCapitals.subarray(this.#above)],
    };
  }

  /** Bets depend only on earlier values; a bet that had seen its own value would always win. */
  add(value: number): void {
    if (!(value >= -1 && value <= 1)) throw new RangeError(`not in [−1, 1]: ${value}`);
    const x = (1 + value) / 2;
    const variance = (PRIOR_VARIANCE + this.#squaredResiduals) / (this.#values + 1);
    const bet = Math.sqrt((2 * Math.log(1 / this.plan.alpha)) / (variance * this.plan.plannedValues));
    // The bounds never cross: if the mean itself changes, what was excluded first stays excluded.
    const goal = 1 / this.plan.alpha;
    this.#below = Math.min(play(this.#lowerCapitals, this.#below, x, bet, goal), CANDIDATES - this.#above);
    this.#above = Math.min(
      play(this.#upperCapitals, this.#above, 1 - x, bet, goal),
      CANDIDATES - this.#below,
    );
    this.#values += 1;
    this.#sum += x;
    const mean = (PRIOR_MEAN + this.#sum) / (this.#values + 1);
    this.#squaredResiduals += (x - mean) ** 2;
  }

  get values(): number {
    return this.#values;
  }

  /** null: there is no value yet. */
  get mean(): number | null {
    return this.#values === 0 ? null : (2 * this.#sum) / this.#values - 1;
  }

  /** A bound is itself excluded, unless it is −1 or 1: the mean is strictly between the bounds. */
  get lower(): number {
    return (this.#below - STEPS_PER_UNIT) / STEPS_PER_UNIT;
  }

  get upper(): number {
    return (STEPS_PER_UNIT - this.#above) / STEPS_PER_UNIT;
  }

  /** Whether the mean is above `limit`, a multiple of 0.01. */
  isAbove(limit: number): boolean {
    return this.#below >= Math.max(1, hundredths(limit) + STEPS_PER_UNIT);
  }

  isBelow(limit: number): boolean {
    return this.#above >= Math.max(1, STEPS_PER_UNIT - hundredths(limit));
  }
}

/**
 * One round of the gamblers who bet on more than their candidate, from the lowest remaining candidate. Returns how many
 * are excluded afterwards. A capital that underflows to 0 stays there, which only makes the bound conservative.
 */
function play(capitals: Float64Array, excluded: number, x: number, bet: number, goal: number): number {
  let next = excluded;
  for (let index = excluded; index < CANDIDATES; index += 1) {
    // The fallbacks are for the compiler: all three have the same length.
    const largestStake = largestStakes[index] ?? 0;
    const stake = bet < largestStake ? bet : largestStake;
    const capital = (capitals[index] ?? 0) * (1 + stake * (x - (candidates[index] ?? 0)));
    if (capital < goal) {
      capitals[index] = capital;
      continue;
    }
    // More than the goal is useless, and could exceed what JSON can represent.
    capitals[index] = goal;
    // Capitals decrease with the candidate, except for rounding; any candidate below an excluded one is excluded, too.
    next = index + 1;
  }
  return next;
}

function hundredths(value: number): number {
  const whole = Math.round(value * STEPS_PER_UNIT);
  if (Math.abs(whole - value * STEPS_PER_UNIT) > 1e-9)
    throw new RangeError(`not a whole number of hundredths: ${value}`);
  return whole;
}
