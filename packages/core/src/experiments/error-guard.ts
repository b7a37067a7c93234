import { newcombeLowerBound } from "../statistics/newcombe-lower-bound.ts";
import type { ArmSums } from "./arm-sums.ts";
import { type Arms, MIN_SAMPLES } from "./sequential-test.ts";

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
  const rates = {
    control: { successes: Number(control.sum), n: control.samples },
    treatment: { successes: Number(treatment.sum), n: treatment.samples },
  };
  const lower = newcombeLowerBound(rates.control, rates.treatment);
  if (lower === null || control.mean === null || treatment.mean === null) {
    return { passes: false, difference: null, upper_bound: null, message: "An arm has no calls yet" };
  }
  const difference = treatment.mean - control.mean;
  const upper_bound = -lower;
  const known = { difference, upper_bound };
  if (Math.min(control.samples, treatment.samples) < MIN_SAMPLES) {
    return { ...known, passes: false, message: `Each arm needs ${MIN_SAMPLES} calls` };
  }
  if (difference > WORST_OBSERVED) {
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
  return { ...known, passes: true, message: "The new model does not fail more often" };
}
