type Digit = "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9";
type HistogramColumn = `h0${Digit}` | `h1${Digit}` | `h2${Digit}` | "h30" | "h31";

/**
 * Latencies counted in 32 buckets, each half as wide again as the previous one. Counts add up, so percentiles of any
 * window and any set of agents come from sums of rollups and are never off by more than a bucket's width.
 */
const BUCKETS = 32;
const GROWTH = 1.55;

/** Exclusive upper bound of each bucket, in milliseconds; the last bucket is open-ended. */
export const bucketEndsMs: readonly number[] = bucketEnds();

function bucketEnds(): number[] {
  const ends: number[] = [];
  let end = 1;
  for (let bucket = 0; bucket < BUCKETS - 1; bucket++) {
    // Whole milliseconds, and never an empty bucket: the first few are one millisecond wide.
    ends.push(end);
    end = Math.max(end + 1, Math.round(end * GROWTH));
  }
  return ends;
}

export const histogramColumns: readonly HistogramColumn[] = Array.from(
  { length: BUCKETS },
  // Two digits, as the type requires.
  (_, bucket) => `h${`${bucket}`.padStart(2, "0")}` as HistogramColumn,
);

export function bucketOf(latencyMs: number): number {
  let low = 0;
  let high = BUCKETS - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (latencyMs < (bucketEndsMs[middle] ?? Number.POSITIVE_INFINITY)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The latency that `fraction` of the calls did not exceed, interpolated within its bucket; in the open-ended bucket,
 * the bucket's lower bound. null: no calls.
 */
export function percentileMs(counts: readonly number[], fraction: number): number | null {
  const calls = counts.reduce((sum, count) => sum + count, 0);
  if (calls === 0) return null;
  const rank = Math.max(1, Math.ceil(fraction * calls));
  let before = 0;
  for (const [bucket, count] of counts.entries()) {
    if (before + count >= rank) {
      const start = bucket === 0 ? 0 : (bucketEndsMs[bucket - 1] ?? 0);
      // Whole milliseconds: the largest value in a bucket is one below its end.
      const last = (bucketEndsMs[bucket] ?? start + 1) - 1;
      return Math.round(start + ((rank - before) / count) * (last - start));
    }
    before += count;
  }
  return null;
}
