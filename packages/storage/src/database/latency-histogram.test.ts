import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { bucketEndsMs, bucketOf, histogramColumns, percentileMs } from "./latency-histogram.ts";

const latencies = fc.array(fc.integer({ min: 0, max: 690_000 }), { minLength: 1, maxLength: 300 });
const count = (values: readonly number[]) => {
  const counts = histogramColumns.map(() => 0);
  for (const value of values) counts[bucketOf(value)] = (counts[bucketOf(value)] ?? 0) + 1;
  return counts;
};

describe("the latency histogram", () => {
  it("has 32 buckets, from a millisecond to beyond ten minutes, none of them empty", () => {
    expect(histogramColumns).toHaveLength(32);
    expect(histogramColumns.at(-1)).toBe("h31");
    expect(bucketEndsMs[0]).toBe(1);
    expect(bucketEndsMs.at(-1)).toBeGreaterThan(600_000);
    for (const [index, end] of bucketEndsMs.entries())
      expect(end).toBeGreaterThan(bucketEndsMs[index - 1] ?? 0);
  });

  it.each([
    [0, 0],
    [1, 1],
    [2, 2],
    [4, 3],
    [5, 4],
    [698_105, 30],
    [698_106, 31],
    [1e9, 31],
  ])("counts %i ms in bucket %i", (latencyMs, bucket) => {
    expect(bucketOf(latencyMs)).toBe(bucket);
  });

  it("is never off by more than a bucket's width: 67 % of the true percentile at worst", () => {
    fc.assert(
      fc.property(latencies, fc.constantFrom(0.5, 0.95, 0.99), (values, fraction) => {
        const ascending = values.toSorted((a, b) => a - b);
        const exact = ascending[Math.max(1, Math.ceil(fraction * values.length)) - 1] ?? 0;
        const estimate = percentileMs(count(values), fraction) ?? Number.NaN;
        expect(bucketOf(estimate)).toBe(bucketOf(exact));
        expect(Math.abs(estimate - exact)).toBeLessThanOrEqual(Math.max(1, exact * 0.67));
      }),
    );
  });

  it("is additive: the sum of two histograms is the histogram of all calls", () => {
    fc.assert(
      fc.property(latencies, latencies, (some, others) => {
        const [a, b] = [count(some), count(others)];
        expect(a.map((calls, bucket) => calls + (b[bucket] ?? 0))).toEqual(count([...some, ...others]));
      }),
    );
  });

  it("returns null without calls", () => {
    expect(percentileMs(count([]), 0.5)).toBeNull();
  });
});
