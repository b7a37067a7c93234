/** How much is measured. `--quick` divides the totals by ten; what defines a measurement (connections) stays. */
export interface Sizes {
  /** Portkey's CPU per call stops falling after about 4,500 calls; measured earlier, it would flatter us. */
  readonly firstWarmupCalls: number;
  readonly sustainedCalls: number;
  /** From the end of the work until a target counts as idle: freed memory is given back for some time after it. */
  readonly restSeconds: number;
  readonly idleSeconds: number;
  readonly turns: number;
  readonly callsPerTurn: number;
  readonly latencyRounds: number;
  readonly latencyCallsAtOne: number;
  readonly latencyCallsAtMany: number;
  readonly warmupCalls: number;
  readonly streams: number;
  readonly directStreams: number;
  readonly streamTurns: number;
  readonly streamsPerTurn: number;
  readonly heldStreams: number;
  readonly pacedRounds: number;
  readonly pacedSeconds: number;
  readonly maxSeconds: number;
}

export const MANY_CONNECTIONS = 32;
export const STREAM_CONNECTIONS = 300;
/** About the length of one stream, so that starts are spread evenly. */
export const STREAM_RAMP_MS = 1_200;
export const HELD_RAMP_MS = 2_000;

const full: Sizes = {
  firstWarmupCalls: 5_000,
  sustainedCalls: 200_000,
  restSeconds: 30,
  idleSeconds: 20,
  turns: 10,
  callsPerTurn: 20_000,
  latencyRounds: 3,
  latencyCallsAtOne: 5_000,
  latencyCallsAtMany: 20_000,
  warmupCalls: 2_000,
  streams: 3_000,
  directStreams: 900,
  streamTurns: 5,
  streamsPerTurn: 1_500,
  heldStreams: 1_000,
  pacedRounds: 7,
  pacedSeconds: 10,
  maxSeconds: 120,
};

/** A slow target gets `fewer` times fewer calls, never fewer than make a 99th percentile. Warm-ups are never cut. */
export function sizesFor(fewer: number, quick: boolean): Sizes {
  const divisor = fewer * (quick ? 10 : 1);
  const cut = (count: number, least: number): number => Math.max(least, Math.round(count / divisor));
  return {
    ...full,
    sustainedCalls: cut(full.sustainedCalls, 2_000),
    callsPerTurn: cut(full.callsPerTurn, 5_000),
    latencyCallsAtOne: cut(full.latencyCallsAtOne, 500),
    latencyCallsAtMany: cut(full.latencyCallsAtMany, 2_000),
    streams: cut(full.streams, 2 * STREAM_CONNECTIONS),
    streamsPerTurn: cut(full.streamsPerTurn, 2 * STREAM_CONNECTIONS),
    restSeconds: quick ? 3 : full.restSeconds,
    idleSeconds: quick ? 3 : full.idleSeconds,
    pacedSeconds: quick ? 3 : full.pacedSeconds,
    directStreams: quick ? 2 * STREAM_CONNECTIONS : full.directStreams,
  };
}
