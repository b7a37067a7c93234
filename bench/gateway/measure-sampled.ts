import type { PacedLoadOptions, PacedLoadResult } from "./paced-load.ts";
import { median } from "./percentile.ts";
import { progress } from "./progress.ts";
import { runGenerator } from "./run-generator.ts";
import { MANY_CONNECTIONS, type Sizes } from "./sizes.ts";
import type { RunningTarget } from "./targets/target.ts";
import { startTollgate, tollgateSampling } from "./targets/tollgate.ts";

export interface SampledLatency {
  /** In µs, one per round. */
  readonly without: readonly Percentiles[];
  readonly sampled: readonly Percentiles[];
}

interface Percentiles {
  readonly p50Us: number;
  readonly p99Us: number;
}

/** Far below what a core can do: how long a call waits behind a pair is measured, not how calls queue. */
const CALLS_PER_SECOND = 300;

/** The latency of clients' calls with and without a verification that samples a tenth of them, alternately. */
export async function measureSampled(upstream: RunningTarget, sizes: Sizes): Promise<SampledLatency> {
  const plain = await startTollgate(upstream);
  try {
    const sampling = await tollgateSampling.start(upstream);
    try {
      const without: Percentiles[] = [];
      const sampled: Percentiles[] = [];
      for (let round = 0; round < sizes.pacedRounds; round += 1) {
        progress(`latency while sampling, round ${round + 1} of ${sizes.pacedRounds}`);
        without.push(await pacedCalls(plain, sizes));
        sampled.push(await pacedCalls(sampling, sizes));
      }
      return { without, sampled };
    } finally {
      await sampling.stop();
    }
  } finally {
    await plain.stop();
  }
}

export function medianOf(rounds: readonly Percentiles[], which: keyof Percentiles): number {
  const middle = median(rounds.map(round => round[which]));
  if (middle === null) throw new Error("a latency needs at least one round");
  return middle;
}

function pacedCalls({ address, headers }: RunningTarget, sizes: Sizes): Promise<PacedLoadResult> {
  return runGenerator<PacedLoadOptions, PacedLoadResult>("paced-load.ts", {
    address,
    headers,
    connections: MANY_CONNECTIONS,
    callsPerSecond: CALLS_PER_SECOND,
    warmupSeconds: 1,
    seconds: sizes.pacedSeconds,
    maxSeconds: sizes.maxSeconds,
  });
}
