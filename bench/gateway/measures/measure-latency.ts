import { median } from "../../kit/percentile.ts";
import { MAX_STOLEN, watchSteal } from "../../kit/steal.ts";
import type { LoadOptions, LoadResult } from "../generator/load.ts";
import { runGenerator } from "../generator/run-generator.ts";
import type { RunningTarget } from "../targets/target.ts";

export interface LatencyResult {
  /** The target's own latency, not the added one. */
  readonly p50Us: number;
  readonly p99Us: number;
  /** Compared with the direct upstream; null for the upstream itself. */
  readonly added: { readonly p50Us: number; readonly p99Us: number } | null;
  /** Rounds in which the hypervisor took next to nothing; if there are any, only these count. */
  readonly quietRounds: number;
}

interface Round {
  readonly p50Us: number;
  readonly p99Us: number;
  /** Share of the machine's CPU time. */
  readonly stolen: number;
}

export interface LatencyOptions {
  readonly connections: number;
  readonly rounds: number;
  readonly calls: number;
  readonly warmupCalls: number;
  readonly maxSeconds: number;
}

/**
 * A machine's speed varies: each round measures the direct upstream just before the target, and the result is the
 * median of the differences over all rounds, or over the quiet ones.
 */
export async function measureLatency(
  target: RunningTarget,
  upstream: RunningTarget,
  options: LatencyOptions,
): Promise<LatencyResult> {
  const load = (at: RunningTarget): Promise<LoadResult> =>
    runGenerator<LoadOptions, LoadResult>("load.ts", {
      address: at.address,
      headers: at.headers,
      connections: options.connections,
      warmupCalls: options.warmupCalls,
      calls: options.calls,
      maxSeconds: options.maxSeconds,
      progressEvery: options.calls,
    });
  const isUpstream = target.pid === upstream.pid;
  const own: Round[] = [];
  const added: Round[] = [];
  for (let round = 0; round < options.rounds; round += 1) {
    const stolenSoFar = watchSteal();
    const bare = isUpstream ? null : await load(upstream);
    const { p50Us, p99Us } = await load(target);
    const stolen = stolenSoFar();
    own.push({ p50Us, p99Us, stolen });
    if (bare !== null) added.push({ p50Us: p50Us - bare.p50Us, p99Us: p99Us - bare.p99Us, stolen });
  }
  return {
    ...medians(own),
    added: isUpstream ? null : medians(added),
    quietRounds: own.filter(isQuiet).length,
  };
}

const isQuiet = ({ stolen }: Round) => stolen < MAX_STOLEN;

function medians(all: readonly Round[]): { p50Us: number; p99Us: number } {
  const quiet = all.filter(isQuiet);
  const rounds = quiet.length > 0 ? quiet : all;
  const p50Us = median(rounds.map(round => round.p50Us));
  const p99Us = median(rounds.map(round => round.p99Us));
  if (p50Us === null || p99Us === null) throw new Error("a latency needs at least one round");
  return { p50Us, p99Us };
}
