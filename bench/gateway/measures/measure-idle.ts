import { cpuMs, sharedOnceMb } from "../../kit/process-stats.ts";
import type { Sizes } from "../sizes.ts";
import type { RunningTarget } from "../targets/target.ts";
import { targetProcesses } from "./target-processes.ts";
import { untilQuiet } from "./until-quiet.ts";

/** All of a target's processes while nobody calls it. */
export interface IdleResult {
  /** As a share of one core. */
  readonly cpu: number;
  readonly memoryMb: number;
}

export async function measureIdle(
  target: RunningTarget,
  { restSeconds, idleSeconds }: Pick<Sizes, "restSeconds" | "idleSeconds">,
): Promise<IdleResult> {
  await untilQuiet(target);
  await Bun.sleep(restSeconds * 1000);
  const { serving, others } = targetProcesses(target);
  const all = [...serving, ...others];
  const before = cpuMs(all);
  const startedAt = performance.now();
  await Bun.sleep(idleSeconds * 1000);
  return {
    cpu: (cpuMs(all) - before) / (performance.now() - startedAt),
    memoryMb: sharedOnceMb(all),
  };
}
