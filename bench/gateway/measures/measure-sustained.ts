import { median } from "../../kit/percentile.ts";
import { cpuMs, residentMb } from "../../kit/process-stats.ts";
import { watchSteal } from "../../kit/steal.ts";
import type { LoadOptions, LoadResult } from "../generator/load.ts";
import { runGenerator } from "../generator/run-generator.ts";
import { MANY_CONNECTIONS, type Sizes } from "../sizes.ts";
import type { RunningTarget } from "../targets/target.ts";
import { targetProcesses } from "./target-processes.ts";

export interface SustainedResult {
  readonly calls: number;
  readonly callsPerSecond: number;
  readonly cpuUsPerCall: number;
  /** CPU of processes other than the serving ones; null if there are none. */
  readonly othersCpuUsPerCall: number | null;
  /** null if a slow target ran out of time before that. */
  readonly residentMbAtHalf: number | null;
  readonly residentMbAtEnd: number | null;
  /** From the trend over the second half: what memory would gain in the same number of further calls. */
  readonly growthMb: number | null;
  /** Memory of the other processes at the end; null if there are none. */
  readonly othersResidentMb: number | null;
  /** The share of the machine's CPU time that the hypervisor took. */
  readonly stolen: number;
}

/** One memory reading per hundredth: enough for a median, too few to cost anything. */
const SAMPLES = 100;

interface MemorySample {
  readonly done: number;
  readonly mb: number;
}

/**
 * Many consecutive calls: throughput, CPU time per call, and whether memory grows. A single memory reading varies with
 * the garbage collector, so each mark is the median of the readings during the tenth of a half before it.
 */
export async function measureSustained(target: RunningTarget, sizes: Sizes): Promise<SustainedResult> {
  const { serving, others } = targetProcesses(target);
  const samples: MemorySample[] = [];
  let cpuBefore = 0;
  let othersBefore = 0;
  let stolenSoFar = watchSteal();
  const result = await runGenerator<LoadOptions, LoadResult>(
    "load.ts",
    {
      address: target.address,
      headers: target.headers,
      connections: MANY_CONNECTIONS,
      warmupCalls: sizes.firstWarmupCalls,
      calls: sizes.sustainedCalls,
      maxSeconds: sizes.maxSeconds,
      progressEvery: Math.max(1, Math.floor(sizes.sustainedCalls / SAMPLES)),
    },
    {
      ready: () => {
        cpuBefore = cpuMs(serving);
        othersBefore = cpuMs(others);
        stolenSoFar = watchSteal();
      },
      progress: done => {
        samples.push({ done, mb: residentMb(serving) });
      },
    },
  );
  const cpuUs = (cpuMs(serving) - cpuBefore) * 1000;
  const othersCpuUs = (cpuMs(others) - othersBefore) * 1000;
  return {
    calls: result.calls,
    callsPerSecond: result.calls / result.seconds,
    cpuUsPerCall: cpuUs / result.calls,
    othersCpuUsPerCall: others.length === 0 ? null : othersCpuUs / result.calls,
    residentMbAtHalf: memoryBefore(samples, sizes.sustainedCalls / 2, sizes.sustainedCalls),
    residentMbAtEnd: memoryBefore(samples, sizes.sustainedCalls, sizes.sustainedCalls),
    growthMb: growthOver(samples.filter(({ done }) => done >= sizes.sustainedCalls / 2)),
    othersResidentMb: others.length === 0 ? null : residentMb(others),
    stolen: stolenSoFar(),
  };
}

/**
 * Growth along the least-squares line. The garbage collector makes memory oscillate by several MB, many times in a run:
 * the difference of two marks depends on the phase, the trend shows whether it grows.
 */
export function growthOver(samples: readonly MemorySample[]): number | null {
  const first = samples[0];
  const last = samples.at(-1);
  if (samples.length < 10 || !first || !last) return null;
  const mean = (of: (sample: MemorySample) => number) =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length;
  const meanDone = mean(({ done }) => done);
  const meanMb = mean(({ mb }) => mb);
  const covariance = mean(({ done, mb }) => (done - meanDone) * (mb - meanMb));
  const variance = mean(({ done }) => (done - meanDone) ** 2);
  return (covariance / variance) * (last.done - first.done);
}

function memoryBefore(samples: readonly MemorySample[], mark: number, totalCalls: number): number | null {
  const from = mark - totalCalls / 20;
  return median(samples.filter(({ done }) => done >= from && done <= mark).map(({ mb }) => mb));
}
