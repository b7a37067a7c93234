import type { HeldResult } from "./measure-held.ts";
import type { LatencyResult } from "./measure-latency.ts";
import type { StreamsResult } from "./measure-streams.ts";
import type { SustainedResult } from "./measure-sustained.ts";
import type { TargetName } from "./targets/target.ts";

/** What was measured of one target. A measurement that failed is null, and `error` says why: never a zero. */
export interface TargetResult {
  readonly name: TargetName;
  readonly title: string;
  readonly version: string | null;
  /** When streams were measured on another start of it; null when it was the same. */
  readonly streamsVersion: string | null;
  readonly error: string | null;
  readonly sustained: SustainedResult | null;
  /** CPU per call, measured in turns with the floor; null for a target that takes no part in that. */
  readonly cpuUsInTurns: number | null;
  readonly latencyAtOne: LatencyResult | null;
  readonly latencyAtMany: LatencyResult | null;
  readonly streams: StreamsResult | null;
  readonly held: HeldResult | null;
  /** The most that was resident at any time from start to end. */
  readonly peakResidentMb: number | null;
}
