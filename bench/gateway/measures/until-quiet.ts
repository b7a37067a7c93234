import { cpuMs } from "../../kit/process-stats.ts";
import type { RunningTarget } from "../targets/target.ts";
import { targetProcesses } from "./target-processes.ts";

const LOOK_EVERY_MS = 250;
const QUIET_MS = 20;
const LONGEST_MS = 20_000;

/** A target's work after its calls (ours derives data from them) must not fall into the next measurement. */
export async function untilQuiet(target: RunningTarget): Promise<void> {
  const { serving, others } = targetProcesses(target);
  const all = [...serving, ...others];
  const end = performance.now() + LONGEST_MS;
  for (let before = cpuMs(all); performance.now() < end; before = cpuMs(all)) {
    await Bun.sleep(LOOK_EVERY_MS);
    if (cpuMs(all) - before <= QUIET_MS) return;
  }
}
