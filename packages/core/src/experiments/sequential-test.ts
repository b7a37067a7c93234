import { alwaysValidHalfWidth, logMixtureLikelihoodRatio } from "../statistics/mixture-likelihood-ratio.ts";
import type { ArmSums } from "./arm-sums.ts";

export const ALPHA = 0.05;
/** With fewer samples a mean is not yet nearly normal, and no verdict is given. */
export const MIN_SAMPLES = 100;
/** Fewer sessions show too little about how sessions differ, however many calls they make. */
export const MIN_SESSIONS = 30;
/** Expected size of differences, in standard deviations, for a metric without its own scale. */
const TAU_IN_DEVIATIONS = 0.2;
const LARGEST_LOG = 700;

export interface Arms<Of> {
  readonly control: Of;
  readonly treatment: Of;
}

interface TestDifference {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Tests after every sample whether two means differ. The result stays valid (mSPRT): the largest likelihood ratio so
 * far decides, and once it has reached 1/α the decision is final, in the direction at that time.
 */
export class SequentialTest {
  constructor(
    /** null: fixed from their spread once both arms have enough samples, and never changed afterwards. */
    public tauSquared: number | null,
    public logRatio = 0,
    /** The sign of the difference when it was decided; 0: undecided. */
    public decided: -1 | 0 | 1 = 0,
  ) {}

  /** Call after every sample. */
  look(sums: Arms<ArmSums>): void {
    if (!mayDecide(sums)) return;
    const variance = varianceOfDifference(sums);
    if (variance === null || variance === 0) return;
    this.tauSquared ??= TAU_IN_DEVIATIONS ** 2 * commonVariance(sums);
    const difference = (sums.treatment.mean ?? 0) - (sums.control.mean ?? 0);
    const logRatio = logMixtureLikelihoodRatio(difference, variance, this.tauSquared);
    if (logRatio <= this.logRatio) return;
    this.logRatio = logRatio;
    if (this.decided === 0 && logRatio >= Math.log(1 / ALPHA)) this.decided = difference < 0 ? -1 : 1;
  }

  /** The largest so far, at least 1; capped to avoid overflow. */
  get likelihoodRatio(): number {
    return Math.exp(Math.min(LARGEST_LOG, this.logRatio));
  }

  get pValue(): number {
    return 1 / this.likelihoodRatio;
  }

  /** null while there are too few samples. */
  difference(sums: Arms<ArmSums>, alpha = ALPHA): TestDifference | null {
    const variance = varianceOfDifference(sums);
    if (!mayDecide(sums) || variance === null || variance === 0 || this.tauSquared === null) return null;
    const value = (sums.treatment.mean ?? 0) - (sums.control.mean ?? 0);
    const half = alwaysValidHalfWidth(variance, this.tauSquared, alpha);
    return { value, low: value - half, high: value + half };
  }
}

export function mayDecide({ control, treatment }: Arms<ArmSums>): boolean {
  return (
    control.samples >= MIN_SAMPLES &&
    treatment.samples >= MIN_SAMPLES &&
    control.sessions >= MIN_SESSIONS &&
    treatment.sessions >= MIN_SESSIONS
  );
}

/**
 * The larger of two: each arm with its own spread, and both with their pooled one. With its own alone, a small arm
 * without a rare sample so far (no error in its first hundred) would look too certain.
 */
function varianceOfDifference(sums: Arms<ArmSums>): number | null {
  const { control, treatment } = sums;
  if (control.varianceOfMean === null || treatment.varianceOfMean === null) return null;
  const own = control.varianceOfMean + treatment.varianceOfMean;
  const common = commonVariance(sums) * (1 / control.samples + 1 / treatment.samples);
  return Math.max(own, common);
}

/** Of a single sample, over both arms. */
function commonVariance({ control, treatment }: Arms<ArmSums>): number {
  const spread = (arm: ArmSums) => (arm.varianceOfMean ?? 0) * arm.samples ** 2;
  return (spread(control) + spread(treatment)) / (control.samples + treatment.samples);
}
