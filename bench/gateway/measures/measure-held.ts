import { residentMb } from "../../kit/process-stats.ts";
import type { HeldStreamsOptions, HeldStreamsResult } from "../generator/held-streams.ts";
import { runGenerator } from "../generator/run-generator.ts";
import { HELD_RAMP_MS, type Sizes } from "../sizes.ts";
import type { RunningTarget } from "../targets/target.ts";
import { targetProcesses } from "./target-processes.ts";

export interface HeldResult {
  readonly streams: number;
  readonly residentMb: number;
}

/** Long enough for buffers to be released, short compared with every idle timeout. */
const SETTLE_MS = 1_000;

/** Memory while many streams are open and silent. */
export async function measureHeld(target: RunningTarget, sizes: Sizes): Promise<HeldResult> {
  const { serving } = targetProcesses(target);
  let memoryMb = 0;
  const { streams } = await runGenerator<HeldStreamsOptions, HeldStreamsResult>(
    "held-streams.ts",
    {
      address: target.address,
      headers: target.headers,
      streams: sizes.heldStreams,
      rampMs: HELD_RAMP_MS,
      maxSeconds: sizes.maxSeconds,
    },
    {
      ready: async () => {
        await Bun.sleep(SETTLE_MS);
        memoryMb = residentMb(serving);
      },
    },
  );
  return { streams, residentMb: memoryMb };
}
