import type { PacedLoadOptions, PacedLoadResult } from "./paced-load.ts";
import { median } from "./percentile.ts";
import { progress } from "./progress.ts";
import { runGenerator } from "./run-generator.ts";
import { MANY_CONNECTIONS, type Sizes } from "./sizes.ts";
import { MAX_STOLEN, watchSteal } from "./steal.ts";
import type { RunningTarget } from "./targets/target.ts";
import { startTollgate, tollgateSampling } from "./targets/tollgate.ts";

export interface SampledLatency {
  /** In µs, one per round; if the hypervisor left some rounds alone, only these. */
  readonly without: readonly Percentiles[];
  readonly sampled: readonly Percentiles[];
}

interface Round {
  readonly without: Percentiles;
  readonly sampled: Percentiles;
  /** Share of the machine's CPU time. */
  readonly stolen: number;
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
      const all: Round[] = [];
      for (let round = 0; round < sizes.pacedRounds; round += 1) {
        progress(`latency while sampling, round ${round + 1} of ${sizes.pacedRounds}`);
        const stolenSoFar = watchSteal();
        const without = await pacedCalls(plain, sizes);
        const sampled = await pacedCalls(sampling, sizes);
        all.push({ without, sampled, stolen: stolenSoFar() });
      }
      const quiet = all.filter(({ stolen }) => stolen < MAX_STOLEN);
      const rounds = quiet.length > 0 ? quiet : all;
      return {
        without: rounds.map(({ without }) => without),
        sampled: rounds.map(({ sampled }) => sampled),
      };
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
