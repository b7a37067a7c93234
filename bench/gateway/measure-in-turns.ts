import type { LoadOptions, LoadResult } from "./load.ts";
import { median } from "./percentile.ts";
import { cpuMs } from "./process-stats.ts";
import { progress } from "./progress.ts";
import { runGenerator } from "./run-generator.ts";
import { MANY_CONNECTIONS, type Sizes } from "./sizes.ts";
import { targetProcesses } from "./target-processes.ts";
import type { RunningTarget, Target, TargetName } from "./targets/target.ts";
import { untilQuiet } from "./until-quiet.ts";

/**
 * CPU per call in µs of targets that run side by side and are called alternately: the median of the rounds. Measured
 * minutes apart, one of them may find the machine half as fast; seconds apart, all find the same. Other load on the
 * machine for a second affects one round of one target, which must not decide.
 */
export async function measureInTurns(
  targets: readonly Target[],
  upstream: RunningTarget,
  sizes: Sizes,
): Promise<ReadonlyMap<TargetName, number>> {
  const turns: { readonly name: TargetName; readonly running: RunningTarget; readonly spentMs: number[] }[] =
    [];
  try {
    for (const target of targets) {
      turns.push({ name: target.name, running: await target.start(upstream), spentMs: [] });
    }
    for (let round = 0; round < sizes.turns; round += 1) {
      progress(`in turns: ${turns.map(({ name }) => name).join(", ")}, round ${round + 1} of ${sizes.turns}`);
      // A gateway runs for months: compilation in its first seconds is not a cost of a call.
      const warmupCalls = round === 0 ? sizes.callsPerTurn : sizes.warmupCalls;
      for (const turn of turns) {
        turn.spentMs.push(await cpuOfTurn(turn.running, warmupCalls, sizes));
        await untilQuiet(turn.running);
      }
    }
    return new Map(
      turns.map(({ name, spentMs }) => [name, ((median(spentMs) ?? Number.NaN) * 1000) / sizes.callsPerTurn]),
    );
  } finally {
    for (const { running } of turns) await running.stop();
  }
}

async function cpuOfTurn(target: RunningTarget, warmupCalls: number, sizes: Sizes): Promise<number> {
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
