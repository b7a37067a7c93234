import type { Arm } from "../steering.ts";
import { type ArmResults, armResults } from "./arm-results.ts";
import { ArmSums } from "./arm-sums.ts";
import { type ErrorGuard, errorGuard } from "./error-guard.ts";
import type { PrimaryMetric } from "./experiment.ts";
import type { Estimate, LatencyCounts } from "./latency-counts.ts";
import { ALPHA, type Arms, MIN_SAMPLES, MIN_SESSIONS, type SequentialTest } from "./sequential-test.ts";
import { percentileOf, TAU, type Tally } from "./tally.ts";
import { withBoth } from "./with-both.ts";

export interface Evidence {
  readonly tally: Tally;
  readonly latencies: Arms<LatencyCounts>;
  /** 1 for each success. */
  readonly outcomes: Arms<ArmSums>;
  /** Fed with the outcomes one by one; decides only quality. */
  readonly qualityTest: SequentialTest;
}

export interface Assessment {
  readonly unit: "microcents" | "ms" | "share";
  readonly control: ArmResults;
  readonly treatment: ArmResults;
  readonly difference: Estimate | null;
  readonly difference_pct: number | null;
  readonly test: {
    readonly statistic: string;
    readonly threshold_ms: number | null;
    readonly control_samples: number;
    readonly treatment_samples: number;
    readonly difference: Estimate | null;
    readonly likelihood_ratio: number | null;
    readonly p_value: number | null;
    readonly alpha: number;
  };
  readonly error_guard: ErrorGuard;
  readonly is_significant: boolean;
  readonly winner: Arm | null;
  readonly message: string;
}

/** What can be concluded from an experiment now. Pure: the same evidence gives the same result. */
export function assess(evidence: Evidence): Assessment {
  const { tally, latencies, outcomes } = evidence;
  const { metric } = tally;
  const tested = tally.tested ?? outcomes;
  const test = metric === "quality_score" ? evidence.qualityTest : tally.test;
  const resultsOf = (arm: Arm) =>
    armResults(tally.calls[arm], tally.cost[arm], tally.pricedErrors[arm], outcomes[arm], latencies[arm]);
  const control = resultsOf("control");
  const treatment = resultsOf("treatment");
  const testDifference = test.difference(tested);
  const percentile = percentileOf(metric);
  const difference =
    percentile === null
      ? (testDifference ?? alikeDifference(metric, test, tested) ?? plainDifference(tested))
      : percentileDifference(percentile, metric, tally, latencies);
  const base = metricValue(metric, control);
  const winner = winnerOf(metric, test, testDifference);
  return {
    unit: units[metric],
    control,
    treatment,
    difference,
    difference_pct: difference === null || !base ? null : (100 * difference.value) / base,
    test: {
      statistic: statistics[metric],
      threshold_ms: tally.thresholdMs,
      control_samples: tested.control.samples,
      treatment_samples: tested.treatment.samples,
      difference: testDifference,
      likelihood_ratio: testDifference === null ? null : test.likelihoodRatio,
      p_value: testDifference === null ? null : test.pValue,
      alpha: ALPHA,
    },
    error_guard: errorGuard(tally.calls),
    is_significant: test.decided !== 0,
    winner,
    message: messageOf(metric, test, tested, winner),
  };
}

const units: { readonly [metric in PrimaryMetric]: Assessment["unit"] } = {
  cost_per_call: "microcents",
  latency_p50: "ms",
  latency_p95: "ms",
  error_rate: "share",
  quality_score: "share",
};

const statistics: { readonly [metric in PrimaryMetric]: string } = {
  cost_per_call: "cost per call that did not fail, in microcents",
  latency_p50: "share of calls slower than the control's median of its first 100 calls",
  latency_p95: "share of calls slower than the control's 95th percentile of its first 100 calls",
  error_rate: "share of failed calls",
  quality_score: "share of successful outcomes",
};

const sampleNames: { readonly [metric in PrimaryMetric]: string } = {
  cost_per_call: "priced calls that did not fail",
  latency_p50: "calls after the control's first 100",
  latency_p95: "calls after the control's first 100",
  error_rate: "calls",
  quality_score: "outcomes that say whether they succeeded",
};

function metricValue(metric: PrimaryMetric, arm: ArmResults): number | null {
  switch (metric) {
    case "cost_per_call":
      return arm.cost_per_call_microcents?.value ?? null;
    case "latency_p50":
      return arm.latency_p50_ms?.value ?? null;
    case "latency_p95":
      return arm.latency_p95_ms?.value ?? null;
    case "error_rate":
      return arm.error_rate?.value ?? null;
    case "quality_score":
      return arm.quality_score?.value ?? null;
  }
}

/**
 * Outcomes that are all alike within each arm have no variance, so the test decides nothing; their interval is that of
 * one good and one bad outcome more. As nothing shows how alike the outcomes of one session are, a session counts once.
 */
function alikeDifference(
  metric: PrimaryMetric,
  test: SequentialTest,
  { control, treatment }: Arms<ArmSums>,
): Estimate | null {
  if (metric !== "quality_score" || !isAlike(control) || !isAlike(treatment)) return null;
  if (Math.min(control.sessions, treatment.sessions) < MIN_SAMPLES) return null;
  const found = test.difference({ control: smoothed(control), treatment: smoothed(treatment) });
  return found && { ...found, value: (treatment.mean ?? 0) - (control.mean ?? 0) };
}

function isAlike({ mean }: ArmSums): boolean {
  return mean === 0 || mean === 1;
}

function smoothed({ sessions, mean }: ArmSums): ArmSums {
  const once = new ArmSums();
  for (let session = 0; session < sessions; session += 1) once.add(mean ?? 0);
  return withBoth(once);
}

function plainDifference({ control, treatment }: Arms<ArmSums>): Estimate | null {
  if (control.mean === null || treatment.mean === null) return null;
  return { value: treatment.mean - control.mean, low: null, high: null };
}

/**
 * Each arm's percentile is within its own interval at half of α, so both intervals, and their difference, hold
 * simultaneously.
 */
function percentileDifference(
  p: number,
  metric: PrimaryMetric,
  { calls }: Tally,
  latencies: Arms<LatencyCounts>,
): Estimate | null {
  const control = latencies.control.percentile(p);
  const treatment = latencies.treatment.percentile(p);
  if (control === null || treatment === null) return null;
  const within = (arm: Arm) =>
    latencies[arm].alwaysValid(p, calls[arm].independentSamples, (TAU[metric] ?? 0) ** 2, ALPHA / 2);
  const ofControl = within("control");
  const ofTreatment = within("treatment");
  const enough = Math.min(calls.control.samples, calls.treatment.samples) >= MIN_SAMPLES;
  const minus = (a: number | null, b: number | null) => (!enough || a === null || b === null ? null : a - b);
  return {
    value: treatment - control,
    low: minus(ofTreatment.low, ofControl.high),
    high: minus(ofTreatment.high, ofControl.low),
  };
}

/** Decided in a direction that the numbers still have: if they have reversed since, nobody wins. */
function winnerOf(metric: PrimaryMetric, test: SequentialTest, difference: Estimate | null): Arm | null {
  if (test.decided === 0 || difference === null || Math.sign(difference.value) !== test.decided) return null;
  const moreIsBetter = metric === "quality_score";
  return test.decided > 0 === moreIsBetter ? "treatment" : "control";
}

function messageOf(
  metric: PrimaryMetric,
  test: SequentialTest,
  { control, treatment }: Arms<ArmSums>,
  winner: Arm | null,
): string {
  if (winner !== null) return `The ${winner === "treatment" ? "new" : "own"} model wins on ${metric}`;
  if (test.decided !== 0) return "The arms differed, and no longer do: there is no winner";
  if (Math.min(control.samples, treatment.samples) < MIN_SAMPLES) {
    const have = `${control.samples} and ${treatment.samples}`;
    return `Too early to say: each arm needs ${MIN_SAMPLES} ${sampleNames[metric]}, and they have ${have}`;
  }
  if (Math.min(control.sessions, treatment.sessions) < MIN_SESSIONS) {
    const have = `${control.sessions} and ${treatment.sessions}`;
    return `Too early to say: each arm needs ${MIN_SESSIONS} sessions, and they have ${have}`;
  }
  if (control.varianceOfMean === 0 && treatment.varianceOfMean === 0) {
    return "All values are alike within each arm: chance cannot be judged";
  }
  return "No difference has shown so far";
}
