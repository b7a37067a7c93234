import { median } from "../../kit/percentile.ts";
import { progress } from "../../kit/progress.ts";
import { MAX_STOLEN, watchSteal } from "../../kit/steal.ts";
import type { PacedLoadOptions, PacedLoadResult } from "../generator/paced-load.ts";
import { runGenerator } from "../generator/run-generator.ts";
import { MANY_CONNECTIONS, type Sizes } from "../sizes.ts";
import type { RunningTarget, Target, TargetName } from "../targets/target.ts";

/** One per round; if the hypervisor left some rounds alone, only these. */
export type PacedLatencies = ReadonlyMap<TargetName, readonly Percentiles[]>;

interface Round {
  readonly latencies: readonly Percentiles[];
  /** Share of the machine's CPU time. */
  readonly stolen: number;
}

interface Percentiles {
  readonly p50Us: number;
  readonly p99Us: number;
}

/** Far below what a core can do: how long a call waits behind other work is measured, not how calls queue. */
const CALLS_PER_SECOND = 300;

/** The latency of clients' calls at a moderate pace, of targets that run side by side and are called alternately. */
export async function measurePaced(
  targets: readonly Target[],
  upstream: RunningTarget,
  sizes: Sizes,
): Promise<PacedLatencies> {
  const running: RunningTarget[] = [];
  try {
    for (const target of targets) running.push(await target.start(upstream));
    const all: Round[] = [];
    for (let round = 0; round < sizes.pacedRounds; round += 1) {
      progress(`latency in turns, round ${round + 1} of ${sizes.pacedRounds}`);
      const stolenSoFar = watchSteal();
      const latencies: Percentiles[] = [];
      for (const target of running) latencies.push(await pacedCalls(target, sizes));
      all.push({ latencies, stolen: stolenSoFar() });
    }
    const quiet = all.filter(({ stolen }) => stolen < MAX_STOLEN);
    const rounds = quiet.length > 0 ? quiet : all;
    return new Map(
      targets.map(({ name }, index) => [name, rounds.flatMap(round => round.latencies[index] ?? [])]),
    );
  } finally {
    for (const target of running) await target.stop();
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
