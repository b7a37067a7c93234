/** A shorter part of a month says too little about the rest. */
const MIN_SHARE = 1 / 31;

/** Projected cost of a UTC month at its current pace; null: too early to say. */
export function projectMonth(costMicrocents: number, nowMs: number): number | null {
  const now = new Date(nowMs);
  const startMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1);
  const endMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1);
  const share = (nowMs - startMs) / (endMs - startMs);
  return share < MIN_SHARE ? null : Math.round(costMicrocents / share);
}
