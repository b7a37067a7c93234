import { describe, expect, it } from "bun:test";
import { bucketsOf } from "./buckets.ts";

const DAY = 86_400_000;

describe("the parts of a range", () => {
  it.each([
    [15 * 60_000, 15],
    [3_600_000, 12],
    [DAY, 12],
    [7 * DAY, 14],
    [30 * DAY, 15],
    [90 * DAY, 12],
  ])("cover %d ms without a gap, in about %d parts", (lengthMs, about) => {
    const toMs = Date.parse("2026-11-16T09:17:23.456Z");
    const range = {
      from: new Date(toMs - lengthMs).toISOString(),
      to: new Date(toMs).toISOString(),
      lengthMs,
    };
    const buckets = bucketsOf(range);
    expect(Math.abs(buckets.length - about)).toBeLessThanOrEqual(2);
    expect(buckets[0]?.from).toBe(range.from);
    expect(buckets.at(-1)?.to).toBe(range.to);
    for (const [index, { from, to }] of buckets.entries()) {
      expect(from < to).toBe(true);
      if (index > 0) expect(from).toBe(buckets[index - 1]?.to ?? "");
    }
  });

  it("stay where they are while the range moves, but for the first and the last", () => {
    const at = (toMs: number) =>
      bucketsOf({
        from: new Date(toMs - DAY).toISOString(),
        to: new Date(toMs).toISOString(),
        lengthMs: DAY,
      }).slice(1, -1);
    const toMs = Date.parse("2026-11-16T09:17:00Z");
    expect(at(toMs + 60_000)).toEqual(at(toMs));
  });
});
