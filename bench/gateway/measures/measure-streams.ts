import { cpuMs } from "../../kit/process-stats.ts";
import { runGenerator } from "../generator/run-generator.ts";
import type { StreamsLoadOptions, StreamsLoadResult } from "../generator/streams-load.ts";
import { type Sizes, STREAM_CONNECTIONS, STREAM_RAMP_MS } from "../sizes.ts";
import type { RunningTarget } from "../targets/target.ts";
import { targetProcesses } from "./target-processes.ts";

export interface StreamsResult {
  readonly streams: number;
  readonly cpuMsPerStream: number;
  readonly firstChunkP50Us: number;
  /** Compared with the direct upstream with the same number of streams; null for the upstream itself. */
  readonly addedFirstChunkP50Us: number | null;
}

export async function measureStreams(
  target: RunningTarget,
  upstream: RunningTarget,
  sizes: Sizes,
): Promise<StreamsResult> {
  const isUpstream = target.pid === upstream.pid;
  const bare = isUpstream ? null : await loadStreams(upstream, sizes.directStreams, sizes);
  const { streams, cpuMsPerStream, firstChunkP50Us } = await loadStreams(target, sizes.streams, sizes);
  return {
    streams,
    cpuMsPerStream,
    firstChunkP50Us,
    addedFirstChunkP50Us: bare === null ? null : firstChunkP50Us - bare.firstChunkP50Us,
  };
}

/** After a warm-up. */
export async function loadStreams(
  target: RunningTarget,
  streams: number,
  sizes: Sizes,
): Promise<StreamsLoadResult & { readonly cpuMsPerStream: number }> {
  const { serving } = targetProcesses(target);
  let cpuBefore = 0;
  const result = await runGenerator<StreamsLoadOptions, StreamsLoadResult>(
    "streams-load.ts",
    {
      address: target.address,
      headers: target.headers,
      connections: STREAM_CONNECTIONS,
      warmupStreams: STREAM_CONNECTIONS,
      streams,
      maxSeconds: sizes.maxSeconds,
      rampMs: STREAM_RAMP_MS,
    },
    {
      ready: () => {
        cpuBefore = cpuMs(serving);
      },
    },
  );
  return { ...result, cpuMsPerStream: (cpuMs(serving) - cpuBefore) / result.streams };
}
