import type { TargetName } from "../targets/target.ts";
import type { HeldResult } from "./measure-held.ts";
import type { IdleResult } from "./measure-idle.ts";
import type { LatencyResult } from "./measure-latency.ts";
import type { StreamsResult } from "./measure-streams.ts";
import type { SustainedResult } from "./measure-sustained.ts";

/** The measurements of one target. A failed measurement is null, never zero, and `error` says why. */
export interface TargetResult {
  readonly name: TargetName;
  readonly title: string;
  readonly version: string | null;
  /** Set if streams were measured on another start of it. */
  readonly streamsVersion: string | null;
  readonly error: string | null;
  readonly sustained: SustainedResult | null;
  /** CPU per call, measured alternately with the baseline; null for a target that is not part of that. */
  readonly cpuUsInTurns: number | null;
  /** After the calls. */
  readonly idle: IdleResult | null;
  readonly latencyAtOne: LatencyResult | null;
  readonly latencyAtMany: LatencyResult | null;
  readonly streams: StreamsResult | null;
  /** CPU per stream, measured alternately with the baseline, as `cpuUsInTurns`. */
  readonly streamMsInTurns: number | null;
  readonly held: HeldResult | null;
  /** Peak resident memory from start to end. */
  readonly peakResidentMb: number | null;
}
