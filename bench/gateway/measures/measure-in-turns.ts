import { median } from "../../kit/percentile.ts";
import { cpuMs } from "../../kit/process-stats.ts";
import { progress } from "../../kit/progress.ts";
import type { LoadOptions, LoadResult } from "../generator/load.ts";
import { runGenerator } from "../generator/run-generator.ts";
import { MANY_CONNECTIONS, type Sizes } from "../sizes.ts";
import type { RunningTarget, Target, TargetName } from "../targets/target.ts";
import { loadStreams } from "./measure-streams.ts";
import { targetProcesses } from "./target-processes.ts";
import { untilQuiet } from "./until-quiet.ts";

/** The median of the rounds of each target. */
type InTurns = ReadonlyMap<TargetName, number>;

/** CPU per call in µs. */
export function callsInTurns(
  targets: readonly Target[],
  upstream: RunningTarget,
  sizes: Sizes,
): Promise<InTurns> {
  return inTurns("calls", targets, upstream, sizes.turns, async (target, round) => {
    // A gateway runs for months: compilation in its first seconds is not a cost of a call.
    const warmupCalls = round === 0 ? sizes.callsPerTurn : sizes.warmupCalls;
    return (1000 * (await cpuMsOfCalls(target, warmupCalls, sizes))) / sizes.callsPerTurn;
  });
}

/** CPU per stream in ms. */
export function streamsInTurns(
  targets: readonly Target[],
  upstream: RunningTarget,
  sizes: Sizes,
): Promise<InTurns> {
  return inTurns("streams", targets, upstream, sizes.streamTurns, async (target, round) => {
    if (round === 0) await loadStreams(target, sizes.streamsPerTurn, sizes);
    return (await loadStreams(target, sizes.streamsPerTurn, sizes)).cpuMsPerStream;
  });
}

/**
 * Measures targets that run side by side and are called alternately. Measured minutes apart, one of them may find the
 * machine half as fast; seconds apart, all find the same. Other load on the machine for a second affects one round of one
 * target, which must not decide.
 */
async function inTurns(
  what: string,
  targets: readonly Target[],
  upstream: RunningTarget,
  rounds: number,
  measure: (target: RunningTarget, round: number) => Promise<number>,
): Promise<InTurns> {
  const turns: { readonly name: TargetName; readonly running: RunningTarget; readonly measured: number[] }[] =
    [];
  try {
    for (const target of targets) {
      turns.push({ name: target.name, running: await target.start(upstream), measured: [] });
    }
    for (let round = 0; round < rounds; round += 1) {
      progress(
        `${what} in turns: ${turns.map(({ name }) => name).join(", ")}, round ${round + 1} of ${rounds}`,
      );
      for (const { running, measured } of turns) {
        measured.push(await measure(running, round));
        await untilQuiet(running);
      }
    }
    return new Map(turns.map(({ name, measured }) => [name, median(measured) ?? Number.NaN]));
  } finally {
    for (const { running } of turns) await running.stop();
  }
}

async function cpuMsOfCalls(target: RunningTarget, warmupCalls: number, sizes: Sizes): Promise<number> {
  const { serving } = targetProcesses(target);
  let before = 0;
  const { calls } = await runGenerator<LoadOptions, LoadResult>(
    "load.ts",
    {
      address: target.address,
      headers: target.headers,
      connections: MANY_CONNECTIONS,
      warmupCalls,
      calls: sizes.callsPerTurn,
      maxSeconds: sizes.maxSeconds,
      progressEvery: sizes.callsPerTurn,
    },
    {
      ready: () => {
        before = cpuMs(serving);
      },
    },
  );
  if (calls < sizes.callsPerTurn) throw new Error("a turn did not end in time");
  return cpuMs(serving) - before;
}
