/**
 * Calls by output length, to find a limit that few calls would reach. These are exclusive upper bounds; the last bucket
 * is open-ended. Stored permanently: the bounds cannot change.
 */
export const outputEnds: readonly number[] = [
  32, 64, 100, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 16_384, 32_768,
];

type Digit = "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9";
type OutputColumn = `o0${Digit}` | `o1${Exclude<Digit, "9">}`;

/** Calls per bucket, shortest outputs first: one bucket more than there are bounds. */
export type OutputHistogram = readonly number[];

export const outputColumns = [...outputEnds, Number.POSITIVE_INFINITY].map(
  (_, bucket) => `o${String(bucket).padStart(2, "0")}` as OutputColumn,
);

export function outputBucketOf(outputTokens: number): number {
  let bucket = 0;
  while (bucket < outputEnds.length && outputTokens >= (outputEnds[bucket] ?? 0)) bucket++;
  return bucket;
}

/**
 * A number of tokens that at least `share` of the calls stayed under: the upper bound of the bucket with that call.
 * null: no calls, or the call is in the open-ended bucket.
 */
export function outputBound(histogram: OutputHistogram, share: number): number | null {
  const calls = histogram.reduce((sum, count) => sum + count, 0);
  if (calls === 0) return null;
  let seen = 0;
  for (const [bucket, count] of histogram.entries()) {
    seen += count;
    if (seen >= share * calls) return outputEnds[bucket] ?? null;
  }
  return null;
}
