import { exceeds } from "../statistics/exceeds.ts";
import { newcombeLowerBound } from "../statistics/newcombe-lower-bound.ts";
import { independentRateSamples } from "./arm-results.ts";
import type { ArmSums } from "./arm-sums.ts";
import { type Arms, MIN_SAMPLES, MIN_SESSIONS } from "./sequential-test.ts";

/** Automatic promotion tolerates an observed increase of one failure per hundred calls… */
const WORST_OBSERVED = 0.01;
/** …and an upper bound below five. */
const WORST_CREDIBLE = 0.05;

export interface ErrorGuard {
  readonly passes: boolean;
  /** Error rates, treatment minus control. */
  readonly difference: number | null;
  readonly upper_bound: number | null;
  readonly message: string;
}

/** Automatic promotion has no human review: a cheaper model that fails more often must not pass. */
export function errorGuard({ control, treatment }: Arms<ArmSums>): ErrorGuard {
  const ofControl = rateOf(control);
  const ofTreatment = rateOf(treatment);
  const lower = ofControl && ofTreatment && newcombeLowerBound(ofControl, ofTreatment);
  if (lower === null || control.mean === null || treatment.mean === null) {
    return { passes: false, difference: null, upper_bound: null, message: "An arm has no calls yet" };
  }
  const difference = treatment.mean - control.mean;
  const upper_bound = -lower;
  const known = { difference, upper_bound };
  if (Math.min(control.samples, treatment.samples) < MIN_SAMPLES) {
    return { ...known, passes: false, message: `Each arm needs ${MIN_SAMPLES} calls` };
  }
  if (Math.min(control.sessions, treatment.sessions) < MIN_SESSIONS) {
    return { ...known, passes: false, message: `Each arm needs ${MIN_SESSIONS} sessions` };
  }
  if (exceeds(difference, WORST_OBSERVED)) {
    const points = (100 * difference).toFixed(1);
    return {
      ...known,
      passes: false,
      message: `The new model failed more often, by ${points} percentage points`,
    };
  }
  if (upper_bound >= WORST_CREDIBLE) {
    const points = (100 * upper_bound).toFixed(1);
    return {
      ...known,
      passes: false,
      message: `The new model may fail more often by ${points} percentage points; more calls are needed`,
    };
  }
  return { ...known, passes: true, message: passedMessage(upper_bound) };
}

/** Within the tolerance, the new model may still fail more often: the message claims no more than the bound shows. */
function passedMessage(upperBound: number): string {
  if (upperBound <= 0) return "The new model does not fail more often";
  const points = (Math.ceil(1000 * upperBound) / 10).toFixed(1);
  return `The new model fails more often by at most ${points} percentage points, with 95% confidence`;
}

/** The calls of a session often fail together, and Newcombe's bound assumes independent ones. */
function rateOf(calls: ArmSums): { readonly successes: number; readonly n: number } | null {
  if (calls.mean === null) return null;
  const n = independentRateSamples(calls, calls.mean);
  return { successes: calls.mean * n, n };
}
