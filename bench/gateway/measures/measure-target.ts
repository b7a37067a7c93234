import { peakResidentMb } from "../../kit/process-stats.ts";
import { progress } from "../../kit/progress.ts";
import { MANY_CONNECTIONS, type Sizes, STREAM_CONNECTIONS, sizesFor } from "../sizes.ts";
import type { RunningTarget, Target } from "../targets/target.ts";
import { measureHeld } from "./measure-held.ts";
import { measureIdle } from "./measure-idle.ts";
import { measureLatency } from "./measure-latency.ts";
import { measureStreams } from "./measure-streams.ts";
import { measureSustained } from "./measure-sustained.ts";
import { targetProcesses } from "./target-processes.ts";
import type { TargetResult } from "./target-result.ts";
import { verifyCall, verifyStream } from "./verify-target.ts";

type Measured = { -readonly [Key in keyof TargetResult]: TargetResult[Key] };

/**
 * Starts a target, measures it, stops it. Results from before an error are kept, together with the error: one failing
 * target must not cost the numbers of the others.
 */
export async function measureTarget(
  target: Target,
  upstream: RunningTarget,
  quick: boolean,
): Promise<TargetResult> {
  const result: Measured = {
    name: target.name,
    title: target.title,
    version: null,
    streamsVersion: null,
    error: null,
    sustained: null,
    cpuUsInTurns: null,
    idle: null,
    latencyAtOne: null,
    latencyAtMany: null,
    streams: null,
    streamMsInTurns: null,
    held: null,
    peakResidentMb: null,
  };
  const sizes = sizesFor(target.fewer, quick);
  let running: RunningTarget | null = null;
  try {
    progress(`${target.name}: start`);
    running = await target.start(upstream);
    result.version = running.version;
    // Calls come first: the memory marks count them from the start of the target.
    await measureCalls(running, upstream, sizes, result);
    if (target.startForStreams !== undefined) {
      await running.stop();
      progress(`${target.name}: start for streams`);
      running = await target.startForStreams(upstream);
      result.streamsVersion = running.version;
    }
    await measureAllStreams(running, upstream, sizes, result);
  } catch (error) {
    result.error = error instanceof Error ? error.message : "unknown error";
    progress(`${target.name}: FAILED: ${result.error}`);
  } finally {
    await running?.stop();
  }
  return result;
}

async function measureCalls(
  running: RunningTarget,
  upstream: RunningTarget,
  sizes: Sizes,
  result: Measured,
): Promise<void> {
  const { latencyRounds: rounds, warmupCalls, maxSeconds } = sizes;
  await verifyCall(running);

  progress(`${result.name}: ${sizes.sustainedCalls} calls at ${MANY_CONNECTIONS} connections`);
  result.sustained = await measureSustained(running, sizes);

  progress(`${result.name}: idle`);
  result.idle = await measureIdle(running, sizes);

  progress(`${result.name}: latency at 1 connection`);
  result.latencyAtOne = await measureLatency(running, upstream, {
    connections: 1,
    calls: sizes.latencyCallsAtOne,
    rounds,
    warmupCalls,
    maxSeconds,
  });

  progress(`${result.name}: latency at ${MANY_CONNECTIONS} connections`);
  result.latencyAtMany = await measureLatency(running, upstream, {
    connections: MANY_CONNECTIONS,
    calls: sizes.latencyCallsAtMany,
    rounds,
    warmupCalls,
    maxSeconds,
  });
  notePeak(running, result);
}

async function measureAllStreams(
  running: RunningTarget,
  upstream: RunningTarget,
  sizes: Sizes,
  result: Measured,
): Promise<void> {
  await verifyStream(running);

  progress(`${result.name}: ${sizes.streams} streams, ${STREAM_CONNECTIONS} at a time`);
  result.streams = await measureStreams(running, upstream, sizes);

  progress(`${result.name}: ${sizes.heldStreams} streams held open`);
  result.held = await measureHeld(running, sizes);
  notePeak(running, result);
}

/** The kernel's own peak may lag behind its counters: never report less than was seen. */
function notePeak(running: RunningTarget, result: Measured): void {
  const peakMb = peakResidentMb(targetProcesses(running).serving);
  result.peakResidentMb = Math.max(
    peakMb,
    result.peakResidentMb ?? peakMb,
    result.held?.residentMb ?? peakMb,
  );
}
